package diff

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// VendorChange is the change of a package list: the packages whose version differs.
type VendorChange struct {
	list          string
	before, after map[string]string // lines of modules.txt by Go module
	text          string            // lines that only one side has
	whole         bool              // the list is for one package, and its version changed
}

var (
	listVersion = regexp.MustCompile(`(?im)^\W*(version|revision|url|source|commit|sha256|date|last_upgrade_date|tag|value|` +
		`year|month|day)\b.*$`)
	gemFolder = regexp.MustCompile(`(?:^|/)gems/([^/]+?)-\d[^/]*/`)
)

// NewVendorChange compares two versions of a package list; see [VendorLists].
func NewVendorChange(list string, before, after []byte) VendorChange {
	c := VendorChange{list: list}
	switch base := path.Base(list); base {
	case "modules.txt":
		c.before, c.after = vendoredModules(before), vendoredModules(after)
	case "package.json", "bower.json", ".bower.json", ".cargo-checksum.json":
		c.whole = !bytes.Equal(ownVersion(before), ownVersion(after))
		c.text = changedParts(before, after, false)
	case "METADATA", "README.chromium", "VERSION":
		was, is := bytes.Join(listVersion.FindAll(before, -1), []byte("\n")), bytes.Join(listVersion.FindAll(after, -1), []byte("\n"))
		if base == "VERSION" {
			was, is = bytes.TrimSpace(before), bytes.TrimSpace(after)
		}
		c.whole = !bytes.Equal(was, is)
	default:
		c.text = changedParts(before, after, strings.HasSuffix(base, "yarn.lock") || base == "Cargo.lock")
	}
	return c
}

// vendoredModules returns the modules in vendor/modules.txt, with the lines that contain their versions.
func vendoredModules(content []byte) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(string(content)) {
		if f := strings.Fields(line); len(f) >= 3 && f[0] == "#" {
			out[f[1]] = strings.Join(f, " ")
		}
	}
	return out
}

// ownVersion returns the version in a package's manifest, as compact JSON.
func ownVersion(content []byte) []byte {
	var m struct{ Version, Package, Resolution json.RawMessage }
	if json.Unmarshal(content, &m) != nil {
		return nil
	}
	return bytes.Join([][]byte{m.Version, m.Package, m.Resolution}, []byte(" "))
}

// changedParts joins the lines that only one of the texts has, or with blocks the parts between blank
// lines. It ignores comments and white space, and compares JSON lock files by package.
func changedParts(before, after []byte, blocks bool) string {
	was, is := listParts(before, blocks), listParts(after, blocks)
	var b strings.Builder
	for _, side := range []struct{ has, other map[string]bool }{{was, is}, {is, was}} {
		for p := range side.has {
			if !side.other[p] {
				b.WriteString(p + "\n")
			}
		}
	}
	return b.String()
}

// listParts splits a list into the parts to compare.
func listParts(content []byte, blocks bool) map[string]bool {
	out := map[string]bool{}
	if m, is := jsonEntries(content); is {
		return m
	}
	part := ""
	for line := range strings.Lines(string(content)) {
		text := strings.Join(strings.Fields(line), " ")
		switch {
		case strings.HasPrefix(text, "#"):
		case text != "" && blocks:
			part += text + " "
		case text != "":
			out[text] = true
		default:
			out[part] = true
			part = ""
		}
	}
	out[part] = true
	return out
}

// jsonEntries returns the packages of an npm or Composer lock file, each with the fields that determine its
// content.
func jsonEntries(content []byte) (map[string]bool, bool) {
	var m struct{ Packages, Dev, Dependencies json.RawMessage }
	var lock struct {
		Dev json.RawMessage `json:"packages-dev"`
	}
	if json.Unmarshal(content, &m) != nil || json.Unmarshal(content, &lock) != nil {
		return nil, false
	}
	type entry struct {
		Name, Version, Resolved, Integrity string
		Dist, Source                       struct{ URL, Reference, Shasum string }
	}
	out := map[string]bool{}
	for _, raw := range []json.RawMessage{m.Packages, lock.Dev, m.Dependencies} {
		named := map[string]entry{}
		var list []entry
		if json.Unmarshal(raw, &list) == nil {
			for _, e := range list {
				named[e.Name] = e
			}
		} else if json.Unmarshal(raw, &named) != nil {
			continue
		}
		for name, e := range named {
			e.Name = ""
			text, _ := json.Marshal(e)
			out[`"`+strings.TrimPrefix(name, "node_modules/")+`" `+string(text)] = true
		}
	}
	return out, true
}

// Names reports whether the change sets another version for the package that contains a third-party file.
func (c VendorChange) Names(name string) (is bool) {
	eachVendorFolder(name, func(folder string, above, rest []string) {
		if vendorLists[folder] != nil && (is || c.covers(folder, path.Join(above...), rest)) {
			is = true
		}
	})
	return is
}

// covers is [VendorChange.Names] for one folder of a path.
func (c VendorChange) covers(folder, above string, rest []string) bool {
	base, below := path.Base(c.list), path.Join(rest...)
	if c.before != nil {
		owner := ""
		for _, mods := range []map[string]string{c.before, c.after} {
			for m := range mods {
				if len(m) > len(owner) && strings.HasPrefix(below, m+"/") {
					owner = m
				}
			}
		}
		return owner != "" && c.before[owner] != c.after[owner]
	}
	scope := 1
	if strings.HasPrefix(rest[0], "@") {
		scope = 2
	}
	pkg := path.Join(rest[:min(scope, len(rest))]...)
	if path.Dir(c.list) == path.Join(above, pkg) {
		return c.whole
	}
	switch base {
	case "composer.lock", "installed.json":
		pkg = path.Join(rest[:min(2, len(rest))]...)
	case "importmap.rb":
		pkg = strings.TrimSuffix(path.Base(below), path.Ext(below))
	case "Gemfile.lock":
		m := gemFolder.FindStringSubmatch(below)
		if m == nil {
			return false
		}
		pkg = m[1]
	}
	if folder == ".yarn" {
		return strings.TrimSpace(c.text) != ""
	}
	return pkg != "" && regexp.MustCompile(`(^|[^\w./@-])(/|node_modules/)?`+regexp.QuoteMeta(pkg)+`($|[^\w./-])`).MatchString(c.text)
}
