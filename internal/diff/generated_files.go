package diff

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// compiled are the suffixes of names that only compilers of interface descriptions use.
var compiled = strings.Fields(`.pb.go .pb.gw.go .pb.cc .pb.cpp .pb.h .pb.c .pb-c.c .pb-c.h .pb.rs .pb.ts .pb.js .pb.mjs .pb.dart
	.pbenum.dart .pbjson.dart .pbserver.dart .pbgrpc.dart .pb.swift .grpc.swift .pb.kt .pb.ex .pb.rb .pb.validate.go .pb.micro.go
	.twirp.go .connect.go .grpc.pb.h .grpc.pb.cc _pb.js _pb.mjs _pb.ts _pb.d.ts _pb.rb _pb.lua _grpc_pb.js _grpc_pb.ts _grpc_pb.d.ts
	_grpc_web_pb.js _pb_service.js _pb_service.ts _pb2.py _pb2.pyi _pb2_grpc.py _pb2_grpc.pyi _services_pb.rb _connect.ts _connectweb.ts
	_connect.js`)

// written are the suffixes of names that support a mark of generated code, but prove nothing alone.
var written = strings.Fields(`.gen.go _gen.go .gen.ts .gen.tsx .gen.js .gen.rs .gen.cs .gen.py .gen.swift .gen.dart .gen.h .gen.cpp
	_gen.py _gen.ts _gen.rs .g.dart .freezed.dart .gr.dart .mocks.dart .config.dart .g.cs .g.i.cs .designer.cs .designer.vb
	modelsnapshot.cs _string.go _enumer.go _easyjson.go _ffjson.go .sql.go .generated.ts .generated.tsx .generated.js .generated.go
	.generated.cs .generated.rs .generated.swift .generated.kt .generated.java .generated.py .generated.d.ts _generated.go _generated.py
	_generated.ts _generated.h _generated.rs _generated.cs _mock.go _mocks.go .mock.go _fake.go .d.ts bindings.rs
	.lock.yml .lock.yaml -gen.go -gen.ts types.gen.ts .resx.cs .deepcopy.go .openapi.go .conversion.go
	.defaults.go .kube.go outerclass.java grpc.java .pnp.cjs .pnp.loader.mjs -generated.ts -generated.go r.java buildconfig.java
	_vtproto.pb.go`)

// machineFolders are the names of folders that support a mark of generated code.
var machineFolders = []string{"generated", "_generated", "__generated__", "generated-sources", "gen", "_gen", "autogen", "codegen",
	"mocks", "mock", "__mocks__", "fakes", "proto", "protos", "protobuf", "pb", "grpc", "thrift", "bindings", "openapi", "swagger",
	"graphql", "dist", "build", "out", "gen-go", "gen-py", "gen-js", "sqlc", "ent", "snapshots", "__snapshots__"}

// modelParts are the suffixes of the files that Entity Framework writes beside its migrations.
var modelParts = []string{".designer.cs", ".designer.vb", "modelsnapshot.cs"}

// hasGeneratedName reports whether the name or the folder is usual for generated files.
func (n fileName) hasGeneratedName() bool {
	return n.ends(compiled) || n.ends(written) || n.in(machineFolders...) ||
		n.has("mock_", "zz_generated", "autogen_", "generated_", "wire_gen", "gen_")
}

// has reports whether the file's name begins with one of the words.
func (n fileName) has(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(n.base, w) })
}

// machine is a format that only programs write and no program runs: its place, and a test of its content. A
// file with any other line is code.
type machine struct {
	is    func(n fileName) bool
	whole func(content []byte) bool // reports whether the whole content has the format
	plain bool                      // the name alone proves nothing
}

var machines = []machine{
	{is: recorded, whole: isRecording},
	{is: func(n fileName) bool {
		return (n.ext == ".yaml" || n.ext == ".yml") && n.in("fixtures", "fixture", "testdata", "__fixtures__")
	}, plain: true, whole: isRecording},
	{is: func(n fileName) bool { return n.ends([]string{".snap", ".storyshot", ".ambr"}) }, whole: isSnapshot},
	{is: func(n fileName) bool {
		return n.in("meta") && (n.ends([]string{"_snapshot.json"}) || n.base == "_journal.json")
	}, whole: func(b []byte) bool {
		return jsonObject(b, nil, "version", "dialect", "id", "prevId", "entries", "tables", "enums", "schemas", "sequences", "roles",
			"policies", "views", "_meta", "internal", "ddl", "renames")
	}},
	{is: func(n fileName) bool { return n.in(".sqlx") && n.has("query-") && n.ext == ".json" },
		whole: func(b []byte) bool { return jsonObject(b, []string{"query", "hash"}, "db_name", "describe") }},
	{is: func(n fileName) bool { return n.in("db") && n.ends([]string{"schema.rb"}) }, whole: isRubySchema},
	{is: func(n fileName) bool { return n.in("db", "sql", "schema") && n.base == "structure.sql" }, whole: isDump},
	{is: func(n fileName) bool { return n.base == "migration_lock.toml" },
		whole: func(b []byte) bool { return everyLine(b, migrationLock.Match) }},
}

var migrationLock = regexp.MustCompile(`^\s*(#.*|provider\s*=\s*"\w+")\s*$`)

// recorded reports whether the file is in a place where tests store recorded server answers.
func recorded(n fileName) bool {
	switch n.ext {
	case ".yaml", ".yml", ".json", ".har":
		return n.ext == ".har" || slices.ContainsFunc(n.dirs, recordings.MatchString)
	}
	return false
}

var recordings = regexp.MustCompile(`cassette|^vcr|_vcr$|recordings|nock|^tapes?$|betamax`)

// generated reports whether a machine made the version, and why. A mark in the content counts with what
// hasGeneratedName with it; see [File.Judge].
func (n fileName) generated(content []byte) (Class, reason, bool) {
	if content == nil {
		return ClassGenerated, byName, n.ends(compiled) || n.byFormat(nil)
	}
	switch workflow := n.in(".github", ".gitea", ".forgejo"); {
	case n.byFormat(content):
		return ClassGenerated, byFormat, true
	case n.byFormat(nil): // a mark does not excuse content of another format
	case marked(content) && workflow && !n.ends([]string{".lock.yml", ".lock.yaml"}): // workflows run in a pipeline
	case marked(content) && isMigration(n.dirs, n.base, n.ext) && !n.ends(modelParts): // migrations change a database
	case n.ends(templateExt): // the mark is for the files that the template produces
		return "", 0, false
	case marked(content) && n.hasGeneratedName():
		return ClassGenerated, byMark, true
	case marked(content):
		return ClassGenerated, byMarkAlone, true
	case n.ends(compiled):
		return ClassGenerated, byNameOnly, true
	}
	return "", 0, false
}

// byFormat reports whether the file has one of the formats in [machines]. Without a content only the name
// decides.
func (n fileName) byFormat(content []byte) bool {
	return slices.ContainsFunc(machines, func(m machine) bool {
		return m.is(n) && (content == nil && !m.plain || content != nil && m.whole(bytes.TrimPrefix(content, []byte("\uFEFF"))))
	})
}

// vendorFolders lists, for each folder of third-party code, the sets of files that prove it. Paths are
// relative: "../" is the parent folder, "*/" the package that contains the file. All files of a set must
// exist.
var vendorFolders = map[string][][]string{
	"vendor": {{"../go.mod", "modules.txt"}, {"../go.work", "modules.txt"}, {"../composer.json", "autoload.php"},
		{"../Cargo.toml", "*/.cargo-checksum.json"}, {"../Gemfile", "../.bundle/config"}, {"../config/importmap.rb"}},
	"node_modules":     {{"*/package.json"}},
	"Pods":             {{"../Podfile.lock"}, {"../Podfile"}},
	"third_party":      {{"*/LICENSE"}, {"*/LICENSE.txt"}, {"*/LICENSE.md"}, {"*/COPYING"}, {"*/README.chromium"}, {"*/METADATA"}},
	"bower_components": {{"*/bower.json"}, {"*/.bower.json"}},
	"jspm_packages":    {{"../jspm.config.js"}, {"../package.json", "../config.js"}},
	".yarn":            {{"../.yarnrc.yml"}, {"../yarn.lock", "../package.json"}},
}

// vendorLists lists, for each such folder, the files that list its packages, with paths as in
// [vendorFolders]. Any package manager that installs another version changes one of them.
var vendorLists = map[string][]string{
	"vendor": {"modules.txt", "composer/installed.json", "../composer.lock", "*/.cargo-checksum.json", "../Cargo.lock",
		"../Gemfile.lock", "../config/importmap.rb"},
	"node_modules":     {"*/package.json", ".package-lock.json", "../package-lock.json", "../yarn.lock", "../pnpm-lock.yaml", "../bun.lock"},
	"Pods":             {"Manifest.lock", "../Podfile.lock"},
	"third_party":      {"*/METADATA", "*/README.chromium", "*/VERSION"},
	"bower_components": {"*/bower.json", "*/.bower.json", "../bower.json"},
	"jspm_packages":    {"../jspm.config.js", "../package.json", "../config.js"},
	".yarn":            {"../yarn.lock", "../.yarnrc.yml", "../package.json"},
}

// VendorLists returns the package lists for a path in third-party folders. A package manager that installs
// another version of the path's package changes one of them.
func VendorLists(name string) (out []string) {
	eachVendorFolder(name, func(folder string, above, rest []string) {
		for _, list := range vendorLists[folder] {
			out = append(out, proofPaths(above, rest, []string{list})...)
		}
	})
	return out
}

// VendorProofs returns sets of files. The file counts as third-party code if all files of one set exist. It
// returns nil if no folder of the path suggests third-party code.
func VendorProofs(name string) (out [][]string) {
	eachVendorFolder(name, func(folder string, above, rest []string) {
		for _, set := range vendorFolders[folder] {
			if resolved := proofPaths(above, rest, set); resolved != nil {
				out = append(out, resolved)
			}
		}
	})
	return out
}

// eachVendorFolder calls fn for each folder of a path, with the elements up to it and those below it. It
// normalises the names of third-party folders.
func eachVendorFolder(name string, fn func(folder string, above, rest []string)) {
	elements := strings.Split(name, "/")
	for i, folder := range elements[:len(elements)-1] {
		switch strings.ToLower(folder) {
		case "thirdparty", "third-party", "external_libs":
			folder = "third_party"
		case "pods":
			folder = "Pods"
		}
		fn(folder, elements[:i+1], elements[i+1:])
	}
}

// proofPaths resolves a set of [vendorFolders] or [vendorLists]. It returns nil if the file is not in a
// package.
func proofPaths(folder, rest, set []string) (out []string) {
	parts := 1
	if strings.HasPrefix(rest[0], "@") {
		parts = 2 // npm packages have a scope
	}
	for _, p := range set {
		if inner, is := strings.CutPrefix(p, "*/"); is {
			if len(rest) <= parts {
				return nil
			}
			p = path.Join(path.Join(rest[:parts]...), inner)
		}
		out = append(out, path.Join(path.Join(folder...), p))
	}
	return out
}
