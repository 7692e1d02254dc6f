package check

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/wording"
)

// lockEntry is a package of a lock file.
type lockEntry struct {
	place     string   // its place in the file, without the version
	name      string   // the name that the project uses, "" if not known
	alias     string   // the name in the registry, if the file gives another one
	digests   []string // of its archives
	addresses []string // of its archives
	script    bool     // a script runs when the package is installed
}

// lockEntries maps packages by an id that stays the same while a version is locked.
type lockEntries map[string]*lockEntry

func (l lockEntries) at(id string) *lockEntry {
	if l[id] == nil {
		l[id] = &lockEntry{}
	}
	return l[id]
}

var (
	anyDigest  = regexp.MustCompile(`^((sha\d+|h1|zh|md5)[-:]|\d+(c\d+)?/)?([0-9a-f]{32,128}|[A-Za-z0-9+/]{27,86}={0,2})$`)
	textDigest = regexp.MustCompile(`(?:sha\d+|h1|zh)[-:=][A-Za-z0-9+/=]{27,}|\b\d+(?:c\d+)?/[0-9a-f]{64,128}|\b[0-9a-f]{40,128}\b`)
	npmArchive = regexp.MustCompile(`^https?://[^/]+/(?:[^?#]*?/)??((?:@[^/?#]+(?:/|%2[fF]))?[^/?#@]+)/-/([^/?#]+)\.tgz`)
	pyArchive  = regexp.MustCompile(`/([^/?#]+)-[^/?#]*\.(?:whl|tar\.gz|zip|tar\.bz2)(?:$|[?#])`)
	pySign     = regexp.MustCompile(`[-_.]+`)

	entryKeys = map[string]*regexp.Regexp{ // the line that begins the entry of a package, or is all of it
		"go.sum": regexp.MustCompile(`^(\S+ \S+) h1:`), "go.work.sum": regexp.MustCompile(`^(\S+ \S+) h1:`),
		"yarn.lock":      regexp.MustCompile(`^["]?((?:@[^@/"]+/)?[^@/"]+@[^\s].*):\s*$`),
		"pnpm-lock.yaml": regexp.MustCompile(`^  ['"]?(/?(?:@[^@/]+/)?[^@/]+[@/][^:'"]+)['"]?:`),
		"pnpm-lock.yml":  regexp.MustCompile(`^  ['"]?(/?(?:@[^@/]+/)?[^@/]+[@/][^:'"]+)['"]?:`),
		"gemfile.lock":   regexp.MustCompile(`^  (\S+ \([^)]*\)) sha256=`), "gems.locked": regexp.MustCompile(`^  (\S+ \([^)]*\)) sha256=`),
		"mix.lock":            regexp.MustCompile(`^\s*"\w+": \{:hex, (:\w+, "[^"]+"),`),
		"bun.lock":            regexp.MustCompile(`^\s*"[^"]+": \["((?:@[^@/"]+/)?[^@"]+@[^"]+)",`),
		".terraform.lock.hcl": regexp.MustCompile(`^provider "([^"]+)"`), "pubspec.lock": regexp.MustCompile(`^  (\w+):\s*$`),
		"cargo.lock": tomlEntry, "uv.lock": tomlEntry, "poetry.lock": tomlEntry, "pdm.lock": tomlEntry, "pylock.toml": tomlEntry,
	}
	// gitSource matches a line of TOML with a commit, which is another one after each update.
	gitSource   = regexp.MustCompile(`"git\+|\bgit\s*=|resolved_reference`)
	tomlEntry   = regexp.MustCompile(`^\[\[packages?\]\]()`)
	entryField  = regexp.MustCompile(`^\s*(name|version)["]?\s*[:= ]\s*["']?([^"'\s,]+)`)
	fileAddress = regexp.MustCompile(`(?:url|file)\s*=\s*"([^"]+)"`)
)

// lockEntriesOf reads the packages of a lock file. It returns an empty map for unknown formats.
func lockEntriesOf(base, text string) lockEntries {
	out := lockEntries{}
	if key := entryKeys[base]; key != nil {
		out.lines(base, key, text)
		return out
	}
	var tree any
	if json.Unmarshal([]byte(text), &tree) == nil {
		out.json(tree, "", "")
	}
	return out
}

// lines reads a lock file that is not JSON.
func (l lockEntries) lines(base string, key *regexp.Regexp, text string) {
	head, version, name := "", "", ""
	var body []string
	end := func() {
		id := head + " " + name + " " + version
		if base == "yarn.lock" || base == "pubspec.lock" {
			name = strings.TrimSuffix(npmName(head), "@")
			id = name + " " + version
			for _, line := range body {
				if a := lockAddress.FindString(line); a != "" && strings.Contains(line, "resolved") {
					id += " " + archivePath(a)
				}
			}
		}
		for _, line := range body {
			e := l.at(id)
			if m := fileAddress.FindStringSubmatch(line); m != nil {
				e = l.at(id + " " + path.Base(m[1]))
				e.addresses = append(e.addresses, m[1])
			} else if strings.Contains(line, "resolved") {
				e.addresses = append(e.addresses, lockAddress.FindAllString(line, -1)...)
			}
			e.place = name
			if e.name = name; strings.Contains(head, "@npm:") {
				e.alias = npmName(strings.TrimPrefix(head[strings.Index(head, "@npm:"):], "@npm:"))
			}
			if key != tomlEntry || !gitSource.MatchString(line) {
				e.digests = append(e.digests, textDigest.FindAllString(line, -1)...)
			}
		}
		head, version, name, body = "", "", "", nil
	}
	within := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) > maxOwnerLine {
			continue
		}
		if m := key.FindStringSubmatch(line); m != nil {
			end()
			head, within = m[1], true
		} else if line != "" && line[0] != ' ' && line[0] != '\t' && key != tomlEntry {
			within = within && base == ".terraform.lock.hcl"
		}
		if !within {
			continue
		}
		if m := entryField.FindStringSubmatch(line); m != nil && m[1] == "name" && name == "" {
			name = m[2]
		} else if m != nil && m[1] == "version" && version == "" {
			version = m[2]
		}
		body = append(body, line)
	}
	end()
}

// npmName returns the name before the version in "name@version".
func npmName(s string) string {
	s = strings.TrimPrefix(s, "/")
	if at := strings.Index(s[min(1, len(s)):], "@"); at >= 0 {
		return s[:at+1]
	}
	return s
}

// json reads an object of a lock file and the objects within it. place is its path, and key the last part
// of place.
func (l lockEntries) json(v any, place, key string) {
	switch v := v.(type) {
	case []any:
		for i, inner := range v {
			name := ""
			if m, is := inner.(map[string]any); is {
				for _, k := range []string{"name", "identity", "package", "Package"} {
					if s, is := m[k].(string); is && name == "" {
						name = s
					}
				}
			}
			if name == "" && i > 0 {
				continue // lists of words
			}
			l.json(inner, place+"/"+name, name)
		}
	case map[string]any:
		str := func(names ...string) string {
			for _, n := range names {
				if s, is := v[n].(string); is {
					return s
				}
			}
			return ""
		}
		version := str("version", "Version", "rev", "resolved", "url")
		if strings.HasPrefix(str("resolved"), "http") && str("version") == "" {
			version = "" // the root of a project
		}
		e := lockEntry{place: place, name: key, alias: str("name")}
		e.script = v["hasInstallScript"] == true
		if at := strings.LastIndex(key, "node_modules/"); at >= 0 {
			e.name = key[at+len("node_modules/"):]
		}
		if to, is := strings.CutPrefix(version, "npm:"); is {
			e.alias = npmName(to)
		}
		if s := str("resolved"); strings.Contains(s, "://") {
			e.addresses = append(e.addresses, s)
		}
		for _, k := range []string{"integrity", "contentHash", "narHash", "sha256", "shasum", "Hash"} {
			if s := str(k); anyDigest.MatchString(s) {
				e.digests = append(e.digests, s)
			}
		}
		if state, is := v["state"].(map[string]any); is { // Swift
			version, _ = state["version"].(string)
			if s, _ := state["revision"].(string); version != "" && s != "" {
				e.digests = append(e.digests, s)
			}
		}
		if dist, is := v["dist"].(map[string]any); is && !strings.Contains(version, "dev") { // Composer
			if s, _ := dist["reference"].(string); s != "" {
				e.digests = append(e.digests, s)
			}
		}
		if hashes, is := v["hashes"].([]any); is {
			for _, h := range hashes {
				if s, is := h.(string); is {
					e.digests = append(e.digests, s)
				}
			}
		}
		if len(e.digests)+len(e.addresses) > 0 {
			if len(e.addresses) > 0 {
				version += " " + archivePath(e.addresses[0])
			}
			*l.at(place + " " + version) = e
		}
		for k, inner := range v {
			if s, is := inner.(string); is && strings.Contains(k, "://") && anyDigest.MatchString(s) {
				l.at(place + "/" + k).digests = []string{s}
				continue
			}
			l.json(inner, place+"/"+k, k)
		}
	}
}

// entries reports packages with an unchanged version whose digest differs from the base, and those that are
// fetched from the address of another package.
func (c *lockCheck) entries() {
	base := c.name()
	before, after := lockEntriesOf(base, c.before), lockEntriesOf(base, strings.Join(c.lines, "\n"))
	there, scripted := map[string]*lockEntry{}, map[string]bool{}
	for _, e := range before {
		there[e.place] = e
		scripted[e.name] = scripted[e.name] || e.script
	}
	var changed []string
	for id, e := range after {
		if was := before[id]; was != nil && digestsDiffer(base, was.digests, e.digests) || otherPackage(base, there[e.place], e) != "" ||
			e.script && !scripted[e.name] {
			changed = append(changed, id)
		}
	}
	slices.Sort(changed)
	for _, id := range changed {
		e := after[id]
		name := clip.Runes(visible(entryName(e.name, id)), 120, "…")
		if e.script && !scripted[e.name] {
			c.report("lock-script", e.name, c.addedWith(e.digests), domain.Medium, wording.English(wording.TitleInstallScript,
				clip.Runes(name, maxTitleName, "…")), wording.English(wording.SayInstallScript, name))
		}
		if other := otherPackage(base, there[e.place], e); other != "" {
			c.report("lock-package", id, c.addedWith(e.addresses), domain.High, wording.English(wording.TitleLockOther),
				wording.English(wording.SayLockOther, name, visible(clip.Runes(other, 120, "…"))))
		} else if was := before[id]; was != nil && digestsDiffer(base, was.digests, e.digests) {
			c.report("lock-changed", id, c.addedWith(e.digests), domain.High, wording.English(wording.TitleLockChanged),
				wording.English(wording.SayLockChanged, name))
		}
	}
}

// entryName returns the name of a package in a finding.
func entryName(name, id string) string {
	if name != "" {
		return name
	}
	return strings.TrimSpace(strings.Trim(id, "/ "))
}

// addedWith returns the first added line that contains one of some texts, 0 if none of them was added.
func (c *lockCheck) addedWith(texts []string) int {
	for _, h := range c.file.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Add && slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(l.Text, t) }) {
				return l.New
			}
		}
	}
	return 0
}

// digestsDiffer reports whether two lists have digests of one kind but none of that kind in common. For
// Terraform, whose digests depend on the platform, no digest of any kind may be in common.
func digestsDiffer(base string, was, is []string) bool {
	kinds := map[string]bool{} // whether a digest of the kind stayed
	stayed := false
	for _, d := range is {
		if k := digestKind(d); slices.ContainsFunc(was, func(w string) bool { return digestKind(w) == k }) {
			kinds[k] = kinds[k] || slices.Contains(was, d)
			stayed = stayed || kinds[k]
		}
	}
	for _, same := range kinds {
		if !same {
			return !stayed || base != ".terraform.lock.hcl"
		}
	}
	return false
}

// archivePath returns an address without its host, query and fragment, because mirrors share the rest.
func archivePath(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	_, rest, _ := strings.Cut(address, "://")
	_, rest, _ = strings.Cut(rest, "/")
	return rest
}

// digestKind returns the algorithm of a digest with its form.
func digestKind(d string) string {
	if at := strings.IndexAny(d, "-:="); at >= 0 && at < 8 {
		return d[:at]
	}
	if at := strings.IndexByte(d, '/'); at >= 0 && at < 8 {
		return d[:at]
	}
	return strings.Repeat("x", len(d))
}

// otherPackage returns the name of the package to which an address of an entry belongs. It returns "" if
// that is the entry's own package, if the address does not name a package, or if the entry had the address
// before.
func otherPackage(base string, was, e *lockEntry) string {
	own := e.name
	if e.alias != "" && (was == nil || was.alias == e.alias) {
		own = e.alias
	}
	for _, a := range e.addresses {
		if own == "" || was != nil && slices.Contains(was.addresses, a) {
			continue
		}
		if m := npmArchive.FindStringSubmatch(a); m != nil {
			name := strings.NewReplacer("%2f", "/", "%2F", "/").Replace(m[1])
			if name != own {
				return name
			}
			if !strings.HasPrefix(m[2], path.Base(name)) {
				return m[2]
			}
		}
		if m := pyArchive.FindStringSubmatch("/" + a); m != nil && strings.HasSuffix(base, ".lock") && entryKeys[base] == tomlEntry {
			like := func(s string) string { return strings.ToLower(pySign.ReplaceAllString(s, "-")) }
			if !strings.HasPrefix(like(m[0]), "/"+like(own)+"-") && !strings.HasPrefix(like(m[0]), "-"+like(own)+"-") {
				return m[1]
			}
		}
	}
	return ""
}
