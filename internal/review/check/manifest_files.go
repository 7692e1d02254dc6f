package check

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/wording"
)

// npmManifest is the part of package.json that is read, and of its copy in package-lock.json.
type npmManifest struct {
	Dependencies         map[string]string `json:"dependencies"`
	DevDependencies      map[string]string `json:"devDependencies"`
	OptionalDependencies map[string]string `json:"optionalDependencies"`
	Scripts              map[string]string `json:"scripts"`
	Workspaces           any               `json:"workspaces"`
	Resolutions          map[string]any    `json:"resolutions"`
}

// all returns the dependencies of all kinds by name.
func (m npmManifest) all() map[string]string {
	out := map[string]string{}
	for _, list := range []map[string]string{m.Dependencies, m.DevDependencies, m.OptionalDependencies} {
		maps.Copy(out, list)
	}
	return out
}

var (
	npmSource = regexp.MustCompile(`^(?:git[+:@]|https?:|ssh:|(?:github|gitlab|bitbucket|gist):|[\w-]+/[\w.-]+(?:#.*)?$)`)
	npmLocal  = regexp.MustCompile(`^(?:workspace|file|link|portal|patch|catalog|npm|exec):`)
)

// npm compares package.json with the lock files of npm and Yarn, and looks for scripts of the installation.
func (r *manifestReading) npm() error {
	var m npmManifest
	if json.Unmarshal([]byte(r.text), &m) != nil {
		return nil // npm refuses the file itself
	}
	scripts := jsonKeys(r.text, "scripts")
	for _, name := range []string{"preinstall", "install", "postinstall"} {
		if script := m.Scripts[name]; script != "" {
			r.add("assay/install-script", wording.TitleInstallScript, wording.SayInstallScript, scripts["scripts\x00"+name], name+" "+script,
				path.Base(r.path)+" ("+name+")")
		}
	}
	all, line := m.all(), npmLines(r.text, "")
	if len(all) > maxManifests {
		r.unread = true
	}
	names := slices.Sorted(maps.Keys(all))
	var list []dependency
	for _, name := range names[:min(len(names), maxManifests)] {
		d := dependency{name, strings.TrimSpace(all[name]), line(name)}
		if npmSource.MatchString(d.spec) {
			r.source(d.name, d.spec, d.line)
		}
		list = append(list, d)
	}
	lock, name, err := r.lockAbove("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb",
		"deno.lock")
	switch {
	case err != nil || lock == "":
		return err
	case strings.HasSuffix(name, ".json"):
		r.npmLock(list, lock, name)
	case path.Base(name) == "yarn.lock":
		return r.yarnLock(list, lock, path.Dir(name))
	}
	return nil
}

// npmLock compares with the copy of the manifest in package-lock.json, which npm writes since version 7.
func (r *manifestReading) npmLock(list []dependency, lock, name string) {
	var tree struct {
		Packages map[string]json.RawMessage `json:"packages"`
	}
	at := strings.TrimPrefix(strings.TrimPrefix(path.Dir(r.path), path.Dir(name)), "/")
	if path.Dir(name) == "." {
		at = strings.TrimPrefix(path.Dir(r.path), ".")
	}
	var mirror npmManifest
	if json.Unmarshal([]byte(lock), &tree) != nil || json.Unmarshal(tree.Packages[at], &mirror) != nil {
		return // a folder that the lock file does not cover
	}
	locked := mirror.all()
	for _, d := range list {
		switch spec, ok := locked[d.name]; {
		case !ok:
			r.missing(d, path.Base(name))
		case strings.TrimSpace(spec) != d.spec && !npmSource.MatchString(d.spec) && !npmLocal.MatchString(d.spec):
			r.otherVersion(d, spec)
		}
	}
}

// npmLockAlone compares package-lock.json with a manifest that the change leaves as it is.
func (r *manifestReading) npmLockAlone() error {
	beside := path.Join(path.Dir(r.path), "package.json")
	text, err := r.file(beside, maxManifest)
	if err != nil || text == "" {
		return err
	}
	other := *r
	if other.side = domain.Left; r.side == domain.Left {
		other.side = domain.Right
	}
	if before, err := other.file(beside, maxManifest); err != nil || before != text {
		return err // the manifest has the finding
	}
	var m npmManifest
	var tree struct {
		Packages map[string]json.RawMessage `json:"packages"`
	}
	var mirror npmManifest
	if json.Unmarshal([]byte(text), &m) != nil || json.Unmarshal([]byte(r.text), &tree) != nil ||
		json.Unmarshal(tree.Packages[""], &mirror) != nil {
		return nil
	}
	wanted, locked := m.all(), mirror.all()
	if maps.Equal(wanted, locked) {
		return nil
	}
	line := npmLines(r.text, "packages\x00\x00")
	for _, name := range slices.Sorted(maps.Keys(locked)) {
		if spec, ok := wanted[name]; !ok || spec != locked[name] && !npmSource.MatchString(spec) && !npmLocal.MatchString(spec) {
			r.otherVersion(dependency{name, spec, line(name)}, locked[name])
		}
	}
	return nil
}

// yarnLock looks for the ranges of the manifest in the yarn.lock of a folder. A package without any entry can be one of the workspaces. A
// manifest below the folder counts only if it is a workspace, and what "resolutions" of the folder name can have any range.
func (r *manifestReading) yarnLock(list []dependency, lock, dir string) error {
	text, err := r.file(path.Join(dir, "package.json"), maxManifest)
	if err != nil {
		return err
	}
	var root npmManifest
	if json.Unmarshal([]byte(text), &root) != nil && text != "" {
		return nil
	}
	if at := strings.TrimPrefix(strings.TrimPrefix(path.Dir(r.path), dir), "/"); path.Dir(r.path) != dir && !root.hasWorkspace(at) {
		return nil
	}
	resolved := map[string]bool{}
	for pattern := range root.Resolutions {
		name := pattern
		if at := strings.LastIndex(name, "**/"); at >= 0 {
			name = name[at+len("**/"):]
		}
		resolved[name], resolved[npmName(name)] = true, true
	}
	known := map[string]bool{}
	for line := range strings.Lines(lock) {
		if line[0] == ' ' || line[0] == '#' {
			continue
		}
		for key := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(line), ":"), ",") {
			key = strings.Trim(strings.TrimSpace(key), `"`)
			known[key] = true
			known[strings.Replace(key, "@npm:", "@", 1)] = true
			known[npmName(key)] = true
		}
	}
	for _, d := range list {
		if npmLocal.MatchString(d.spec) || npmSource.MatchString(d.spec) || !known[d.name] || resolved[d.name] {
			continue
		}
		if !known[d.name+"@"+d.spec] {
			r.missing(d, "yarn.lock")
		}
	}
	return nil
}

// hasWorkspace reports whether a folder is one of the workspaces of a manifest.
func (m npmManifest) hasWorkspace(dir string) bool {
	patterns := anyList(m.Workspaces)
	if table, ok := m.Workspaces.(map[string]any); ok {
		patterns = anyList(table["packages"])
	}
	for _, v := range patterns {
		pattern, _ := v.(string)
		pattern = strings.Trim(strings.TrimPrefix(pattern, "./"), "/")
		if below, isDeep := strings.CutSuffix(pattern, "**"); isDeep && strings.HasPrefix(dir, below) {
			return true
		}
		if ok, err := path.Match(pattern, dir); ok && err == nil {
			return true
		}
	}
	return false
}

// tomlTable returns a table within tables of TOML.
func tomlTable(tree map[string]any, names ...string) map[string]any {
	for _, n := range names {
		tree, _ = tree[n].(map[string]any)
	}
	return tree
}

// lockedNames returns the names of the packages of a lock file in TOML.
func lockedNames(lock string, like func(string) string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(lock) {
		if m := entryField.FindStringSubmatch(line); m != nil && m[1] == "name" {
			out[like(m[2])] = true
		}
	}
	return out
}

// cargo compares Cargo.toml with the names in Cargo.lock.
func (r *manifestReading) cargo() error {
	var tree map[string]any
	if toml.Unmarshal([]byte(r.text), &tree) != nil {
		return nil
	}
	tables := []map[string]any{tree}
	for _, v := range tomlTable(tree, "target") {
		if t, ok := v.(map[string]any); ok {
			tables = append(tables, t)
		}
	}
	var list []dependency
	for _, t := range tables {
		for _, kind := range []string{"dependencies", "dev-dependencies", "build-dependencies"} {
			for name, v := range tomlTable(t, kind) {
				list = r.crate(list, name, v)
			}
		}
	}
	for name, v := range tomlTable(tree, "workspace", "dependencies") {
		r.crate(nil, name, v)
	}
	root, _ := tomlTable(tree, "package")["name"].(string)
	return r.names(root, list, func(s string) string { return strings.ReplaceAll(s, "_", "-") }, "Cargo.lock")
}

// crate adds a dependency of Cargo, and reports one from a Git repository. A dependency of the workspace can have another name there.
func (r *manifestReading) crate(list []dependency, name string, v any) []dependency {
	line := r.keyLine(name)
	table, _ := v.(map[string]any)
	if git, ok := table["git"].(string); ok {
		r.source(name, git, line)
	}
	if table["workspace"] == true {
		return list
	}
	if other, ok := table["package"].(string); ok {
		name = other
	}
	return append(list, dependency{name: name, line: line})
}

var (
	pythonName   = regexp.MustCompile(`^\s*([A-Za-z0-9][\w.-]*)`)
	pythonSource = regexp.MustCompile(`^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*@\s*(\S+)`)
)

// python compares pyproject.toml with the names in the lock files of uv and Poetry.
func (r *manifestReading) python() error {
	var tree map[string]any
	if toml.Unmarshal([]byte(r.text), &tree) != nil {
		return nil
	}
	var list []dependency
	for _, v := range anyList(tomlTable(tree, "project")["dependencies"]) {
		text, _ := v.(string)
		if m := pythonSource.FindStringSubmatch(text); m != nil {
			r.source(m[1], m[2], r.lineOf(m[1], m[2]))
		}
		if m := pythonName.FindStringSubmatch(text); m != nil {
			list = append(list, dependency{name: m[1], line: cmp.Or(r.lineOf(`"`+text+`"`), r.lineOf("'"+text+"'"), r.lineOf(text))})
		}
	}
	tables := []map[string]any{tomlTable(tree, "tool", "poetry", "dependencies")}
	for name := range tomlTable(tree, "tool", "poetry", "group") {
		tables = append(tables, tomlTable(tree, "tool", "poetry", "group", name, "dependencies"))
	}
	for _, t := range tables {
		for name, v := range t {
			if name == "python" {
				continue
			}
			table, _ := v.(map[string]any)
			for _, key := range []string{"git", "url"} {
				if address, ok := table[key].(string); ok {
					r.source(name, address, r.keyLine(name))
				}
			}
			list = append(list, dependency{name: name, line: r.keyLine(name)})
		}
	}
	for _, where := range [][]string{{"tool", "poetry"}, {"tool", "uv"}} {
		table := tomlTable(tree, where...)
		for _, v := range slices.Concat(anyList(table["source"]), anyList(table["index"])) {
			index, _ := v.(map[string]any)
			if address, _ := index["url"].(string); address != "" {
				r.registry(address, r.lineOf(address))
			}
		}
	}
	like := func(s string) string { return strings.ToLower(pySign.ReplaceAllString(s, "-")) }
	poetry, err := r.file(path.Join(path.Dir(r.path), "poetry.lock"), maxLockBytes)
	if err != nil {
		return err
	}
	if poetry != "" {
		return r.names("", list, like, "poetry.lock")
	}
	root, _ := tomlTable(tree, "project")["name"].(string)
	return r.names(root, list, like, "uv.lock")
}

func anyList(v any) []any {
	list, _ := v.([]any)
	return list
}

// names reports dependencies whose names the nearest lock file lacks. A lock file of a folder above counts only if it has the project of
// the manifest, called root.
func (r *manifestReading) names(root string, list []dependency, like func(string) string, locks ...string) error {
	lock, name, err := r.lockAbove(locks...)
	if err != nil || lock == "" {
		return err
	}
	known := lockedNames(lock, like)
	if path.Dir(name) != path.Dir(r.path) && !known[like(root)] {
		return nil
	}
	if len(list) > maxManifests {
		r.unread = true
	}
	slices.SortFunc(list, func(a, b dependency) int { return a.line - b.line })
	for _, d := range list[:min(len(list), maxManifests)] {
		if !known[like(d.name)] {
			r.missing(d, path.Base(name))
		}
	}
	return nil
}
