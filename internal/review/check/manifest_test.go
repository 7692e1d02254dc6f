package check

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"
)

// manifestCase is a change of one file. Further files are equal on both sides unless before names them.
type manifestCase struct {
	path, before, after string
	beside              map[string]string // at the head
	besideBase          map[string]string // at the base, if it differs
	want                string
}

func (c manifestCase) run(t *testing.T) Result {
	t.Helper()
	src := files{"RIGHT:" + c.path: c.after}
	if c.before != "" {
		src["LEFT:"+c.path] = c.before
	}
	base := maps.Clone(c.beside)
	maps.Copy(base, c.besideBase)
	for name, text := range c.beside {
		src["RIGHT:"+name], src["LEFT:"+name] = text, base[name]
	}
	res, err := checker(t).Run(t.Context(), change(t, c.path, c.before, c.after), src, Options{Secrets: true, Static: true})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestManifests(t *testing.T) {
	t.Parallel()
	const mod = "module x\n\ngo 1.26\n\nrequire example.com/a v1.0.0\n"
	sum := map[string]string{"go.sum": "example.com/a v1.0.0 h1:x=\nexample.com/a v1.0.0/go.mod h1:x=\nexample.com/f v2.0.0/go.mod h1:x=\n"}
	npm := func(spec string) string { return "{\n  \"dependencies\": {\n    \"a\": \"" + spec + "\"\n  }\n}\n" }
	lock := func(spec string) string {
		return "{\n \"lockfileVersion\": 3,\n \"packages\": {\n  \"\": {\"dependencies\": {\n   \"a\": \"" + spec + "\"\n  }}\n }\n}\n"
	}
	script := func(line string) string {
		return "{\n \"packages\": {\n  \"node_modules/b\": {\n   \"version\": \"1.0.0\",\n" + line +
			"   \"integrity\": \"sha512-" + strings.Repeat("A", 86) + "==\"\n  }\n }\n}\n"
	}
	yarn := map[string]string{"yarn.lock": "# yarn\n\na@^1.0.0, a@^1.1.0:\n  version \"1.2.0\"\n"}
	cargo := "[dependencies]\nserde = \"1\"\n"
	crates := map[string]string{"Cargo.lock": "[[package]]\nname = \"serde\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"other\"\nversion = \"1.0.0\"\n"}
	python := "[project]\ndependencies = [\n  \"requests>=2\",\n]\n"
	uv := map[string]string{"uv.lock": "[[package]]\nname = \"requests\"\nversion = \"2.0\"\n\n[[package]]\nname = \"zope-interface\"\nversion = \"2.0\"\n"}
	missing := func(place string) string { return "assay/manifest-lock@" + place + "/line/medium" }
	for name, tt := range map[string]manifestCase{
		"Go without a sum":        {"go.mod", mod, mod + "require example.com/b v1.0.0\n", sum, nil, missing("6-6")},
		"Go with another version": {"go.mod", mod, strings.Replace(mod, "v1.0.0", "v1.0.1", 1), sum, nil, missing("5-5")},
		"Go with its sum":         {"go.mod", "", mod, sum, nil, ""},
		"Go with a sum of the workspace": {"a/go.mod", "module a\n", "module a\nrequire example.com/a v1.0.0\n",
			map[string]string{"a/go.sum": "x v1 h1:=\n", "go.work.sum": sum["go.sum"]}, nil, ""},
		"Go with a folder":          {"go.mod", mod, mod + "require example.com/b v1.0.0\nreplace example.com/b => ../b\n", sum, nil, ""},
		"Go with another module":    {"go.mod", mod, mod + "replace example.com/a => example.com/f v2.0.0\n", sum, nil, "assay/manifest-source@6-6/line/medium"},
		"Go on an old line":         {"go.mod", mod + "require example.com/b v1.0.0\n", mod + "require example.com/b v1.0.0\n// x\n", sum, nil, ""},
		"Go with a comment":         {"go.mod", mod, mod + "require example.com/b v1.0.0 // nosec\n", sum, nil, missing("6-6")},
		"Go that is broken":         {"go.mod", mod, mod + "require (\n", sum, nil, ""},
		"npm with another range":    {"package.json", npm("^1.0.0"), npm("^2.0.0"), map[string]string{"package-lock.json": lock("^1.0.0")}, nil, missing("3-3")},
		"npm with its range":        {"package.json", npm("^1.0.0"), npm("^2.0.0"), map[string]string{"package-lock.json": lock("^2.0.0")}, nil, ""},
		"npm without the name":      {"package.json", "{}\n", npm("^1.0.0"), map[string]string{"package-lock.json": `{"packages": {"": {}}}`}, nil, missing("3-3")},
		"npm in a folder":           {"p/a/package.json", "{}\n", npm("^1.0.0"), map[string]string{"package-lock.json": `{"packages": {"p/a": {}}}`}, nil, missing("3-3")},
		"npm in no folder of it":    {"p/a/package.json", "{}\n", npm("^1.0.0"), map[string]string{"package-lock.json": `{"packages": {"": {}}}`}, nil, ""},
		"npm on an old line":        {"package.json", npm("^1.0.0"), npm("^1.0.0") + "\n", map[string]string{"package-lock.json": lock("^2.0.0")}, nil, ""},
		"npm that is broken":        {"package.json", npm("^1.0.0"), npm("^2.0.0") + "}\n", map[string]string{"package-lock.json": lock("^1.0.0")}, nil, ""},
		"a lock file alone":         {"package-lock.json", lock("^1.0.0"), lock("^2.0.0"), map[string]string{"package.json": npm("^1.0.0")}, nil, missing("5-5")},
		"a lock file with its file": {"package-lock.json", lock("^1.0.0"), lock("^2.0.0"), map[string]string{"package.json": npm("^2.0.0")}, map[string]string{"package.json": npm("^1.0.0")}, ""},
		"Yarn with another range":   {"package.json", npm("^1.0.0"), npm("^3.0.0"), yarn, nil, missing("3-3")},
		"Yarn with its range":       {"package.json", npm("^1.0.0"), npm("^1.1.0"), yarn, nil, ""},
		"an address": {"package.json", npm("^1.0.0"), npm("git+https://user:pw@example.org/a.git"), nil, nil,
			"assay/manifest-source@3-3/line/medium"},
		"a short address":      {"package.json", npm("^1.0.0"), npm("owner/name#main"), nil, nil, "assay/manifest-source@3-3/line/medium"},
		"another commit of it": {"package.json", npm("owner/name#a"), npm("owner/name#b"), nil, nil, ""},
		"a script":             {"package.json", "{\n}\n", "{\n\"scripts\": {\"postinstall\": \"node x.js\", \"test\": \"y\"}}\n", nil, nil, "assay/install-script@2-2/line/medium"},
		"another script":       {"package.json", "{\n}\n", "{\n\"scripts\": {\"prepare\": \"node x.js\", \"test\": \"y\"}}\n", nil, nil, ""},
		"a script of a package": {"package-lock.json", script(""), script("   \"hasInstallScript\": true,\n"), nil, nil,
			"assay/lock-script@6-6/line/medium"},
		"an older script":       {"package-lock.json", script("   \"hasInstallScript\": true,\n"), script("   \"hasInstallScript\": true,\n") + "\n", nil, nil, ""},
		"Cargo without a name":  {"Cargo.toml", cargo, cargo + "rand = \"0.9\"\n", crates, nil, missing("3-3")},
		"Cargo by another name": {"Cargo.toml", cargo, cargo + "mine = { package = \"other\", version = \"1\" }\n", crates, nil, ""},
		"Cargo from Git": {"Cargo.toml", cargo, cargo + "other = { git = \"https://example.org/other\" }\n", crates, nil,
			"assay/manifest-source@3-3/line/medium"},
		"Cargo in a workspace":        {"a/Cargo.toml", cargo, cargo + "rand = \"0.9\"\nx = { workspace = true }\n[package]\nname = \"other\"\n", crates, nil, missing("3-3")},
		"Cargo outside the workspace": {"fuzz/Cargo.toml", cargo, cargo + "rand = \"0.9\"\n[package]\nname = \"fuzz\"\n", crates, nil, ""},
		"a feature of the same name":  {"Cargo.toml", "[features]\nrand = []\n" + cargo, "[features]\nrand = []\n" + cargo + "rand = \"0.9\"\n", crates, nil, missing("5-5")},
		"Git for the workspace": {"Cargo.toml", "[workspace.dependencies]\n", "[workspace.dependencies]\nx = { git = \"https://example.org/x\" }\n", nil, nil,
			"assay/manifest-source@2-2/line/medium"},
		"Poetry above": {"a/pyproject.toml", "[tool.poetry.dependencies]\n", "[tool.poetry.dependencies]\nflask = \"^3\"\n",
			map[string]string{"poetry.lock": uv["uv.lock"]}, nil, ""},
		"uv outside the workspace": {"a/pyproject.toml", python, strings.Replace(python, ",\n]\n", ",\n  \"flask\",\n]\n", 1), uv, nil, ""},
		"a name like the project": {"pyproject.toml", "[project]\nname = \"my-flask\"\ndependencies = [\n]\n", "[project]\nname = \"my-flask\"\ndependencies = [\n  \"flask\",\n]\n",
			uv, nil, missing("4-4")},
		"Go with a module of the workspace": {"a/go.mod", "module a\n", "module a\nrequire example.com/b v0.0.0\n",
			map[string]string{"a/go.sum": "x v1 h1:=\n", "go.work": "go 1.26\nuse ./a\nuse ./b\n", "b/go.mod": "module example.com/b\n"}, nil, ""},
		"Go with another version of Go": {"go.mod", mod, strings.Replace(mod, "go 1.26", "go 1.27\n\ntoolchain go1.27.1", 1), sum, nil, ""},
		"npm with a range that is there": {"package.json", "{\n\"peerDependencies\": {\n \"a\": \"^2\"\n}\n}\n", "{\n\"peerDependencies\": {\n \"a\": \"^2\"\n},\n\"devDependencies\": {\n \"a\": \"^2\"\n}\n}\n",
			map[string]string{"package-lock.json": lock("^1.0.0")}, nil, missing("6-6")},
		"npm with another script": {"package.json", npm("^1.0.0"), strings.Replace(npm("^1.0.0"), "{\n", "{\n  \"version\": \"2.0.0\", \"scripts\": {\"x\": \"y\"},\n", 1), map[string]string{"package-lock.json": lock("^3.0.0")}, nil, ""},
		"a lock file of Bun":      {"p/package.json", npm("^1.0.0"), npm("^3.0.0"), map[string]string{"p/bun.lock": "{}", "yarn.lock": yarn["yarn.lock"]}, nil, ""},
		"Yarn in no workspace":    {"p/package.json", npm("^1.0.0"), npm("^3.0.0"), map[string]string{"yarn.lock": yarn["yarn.lock"], "package.json": `{"workspaces": ["q/*"]}`}, nil, ""},
		"Yarn in a workspace":     {"q/p/package.json", npm("^1.0.0"), npm("^3.0.0"), map[string]string{"yarn.lock": yarn["yarn.lock"], "package.json": `{"workspaces": {"packages": ["q/*"]}}`}, nil, missing("3-3")},
		"Yarn with a resolution":  {"package.json", npm("^1.0.0"), strings.Replace(npm("^3.0.0"), "{\n", "{\n  \"resolutions\": {\"**/a\": \"1.0.0\"},\n", 1), yarn, nil, ""},
		"the publication of Maven": {"pom.xml", "<project>\n", "<project>\n<distributionManagement>\n<repository>\n<url>https://maven.example.org/r</url>\n</repository>\n</distributionManagement>\n<repositories>\n<repository>\n<url>https://maven.example.com/r</url>\n</repository>\n</repositories>\n",
			nil, nil, "assay/manifest-registry@9-9/line/medium"},
		"an address with a token": {"package.json", npm("^1.0.0"), npm("https://example.org/a.tgz?token=user:pw"), nil, nil, "assay/manifest-source@3-3/line/medium"},
		"a name in a feature":     {"Cargo.toml", cargo + "other = { git = \"https://example.org/other\" }\n", cargo + "other = { git = \"https://example.org/other\" }\n[features]\nx = [\n  \"other\",\n]\n", crates, nil, ""},
		"another commit of a crate": {"Cargo.lock", "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"git+https://example.org/a#" + strings.Repeat("ab", 20) + "\"\n",
			"[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"git+https://example.org/a#" + strings.Repeat("cd", 20) + "\"\n", nil, nil, ""},
		"another version of a fork": {"go.mod", mod + "replace example.com/a => example.com/f v2.0.0\n", mod + "replace example.com/a => example.com/f v2.0.1\n", nil, nil, ""},
		"Cargo that is broken":      {"Cargo.toml", cargo, cargo + "rand = \n", crates, nil, ""},
		"Python without a name": {"pyproject.toml", python, strings.Replace(python, ",\n]\n", ",\n  \"flask\",\n]\n", 1), uv, nil,
			missing("4-4")},
		"Python by its name": {"pyproject.toml", python, strings.Replace(python, ",\n]\n", ",\n  \"Zope.Interface[test]>1\",\n]\n", 1), uv, nil, ""},
		"Python from an address": {"pyproject.toml", python, strings.Replace(python, ",\n]\n", ",\n  \"requests @ https://example.org/r.whl\",\n]\n", 1), nil, nil,
			"assay/manifest-source@4-4/line/medium"},
		"Poetry": {"pyproject.toml", "[tool.poetry.dependencies]\npython = \"^3\"\n", "[tool.poetry.dependencies]\npython = \"^3\"\nflask = \"^3\"\n",
			map[string]string{"poetry.lock": uv["uv.lock"]}, nil, missing("3-3")},
		"an index of Poetry": {"pyproject.toml", "[project]\n", "[project]\n[[tool.poetry.source]]\nname = \"x\"\nurl = \"https://pypi.example.org/simple\"\n",
			nil, nil, "assay/manifest-registry@4-4/line/medium"},
		"requirements": {"requirements.txt", "a==1\n", "a==1\n--extra-index-url https://pypi.example.org/simple\n-e git+https://example.org/b.git#egg=b\nc @ https://example.org/c.whl\nd==1\n",
			nil, nil, "assay/manifest-registry@2-2/line/medium assay/manifest-source@3-3/line/medium assay/manifest-source@4-4/line/medium"},
		"the public index": {"requirements.txt", "a==1\n", "a==1\n--index-url https://pypi.org/simple\n", nil, nil, ""},
		".npmrc":           {".npmrc", "a=b\n", "a=b\n@x:registry=https://npm.example.org/\nregistry=https://registry.npmjs.org/\n", nil, nil, "assay/manifest-registry@2-2/line/medium"},
		"Maven": {"pom.xml", "<project>\n", "<project>\n<url>https://example.org</url>\n<repository>\n<url>https://maven.example.org/r</url>\n</repository>\n<repository><url>https://repo.maven.apache.org/maven2</url></repository>\n",
			nil, nil, "assay/manifest-registry@4-4/line/medium"},
		"a test": {"testdata/go.mod", mod, mod + "replace example.com/a => example.com/f v2.0.0\n", nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := tt.run(t)
			if got := summary(res); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			for _, f := range res.Findings {
				if strings.Contains(f.Explanation, "user:pw") {
					t.Error(f.Explanation)
				}
			}
		})
	}
}

// A lock file without a manifest's names takes time in proportion to its length.
func TestLongLockFiles(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&b, ",\n\"package-%d\": \"1.0.0\"", i)
	}
	lock := "{\"packages\": {\"\": {\"dependencies\": {\"a\": \"1\"" + b.String() + "}}}}\n"
	start := time.Now()
	res := (manifestCase{path: "package-lock.json", before: "{}\n", after: lock, beside: map[string]string{"package.json": "{}\n"}}).run(t)
	if took := time.Since(start); took > 20*time.Second || res.Unread["package-lock.json"] == "" {
		t.Errorf("%s, %v", took, res.Unread)
	}
}

// The review names a manifest beyond the bound.
func TestBoundsOfManifests(t *testing.T) {
	t.Parallel()
	for path, text := range map[string]string{"package.json": "{}\n" + strings.Repeat(" \n", maxManifest/2), "go.mod": "module x\n" + strings.Repeat("//\n", maxManifest/3)} {
		if res := (manifestCase{path: path, after: text}).run(t); res.Unread[path] != WhyUnparsed {
			t.Errorf("%s: %v", path, res.Unread)
		}
	}
	many := "module x\n" + strings.Repeat("require example.com/a v1.0.0\n", maxManifests+1)
	if res := (manifestCase{path: "go.mod", after: many, beside: map[string]string{"go.sum": "x v1 h1:=\n"}}).run(t); res.Unread["go.mod"] == "" {
		t.Error("not named")
	}
}
