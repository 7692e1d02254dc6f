package diff

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Class is what kind of content a file holds; it decides whether models see it.
type Class string

// The classes.
const (
	ClassSource    Class = "source"
	ClassTest      Class = "test"
	ClassDocs      Class = "docs"
	ClassGenerated Class = "generated"
	ClassVendored  Class = "vendored"
	ClassLock      Class = "lock"
	ClassMinified  Class = "minified"
	ClassBinary    Class = "binary"
	ClassMigration Class = "migration"
	ClassCI        Class = "ci"
	ClassConfig    Class = "config"
	ClassData      Class = "data"
	ClassSubmodule Class = "submodule"
	ClassSymlink   Class = "symlink"
)

// Ignored reports whether no model needs to see files of the class.
// Deterministic checks read them all the same.
func (c Class) Ignored() bool {
	switch c {
	case ClassDocs, ClassGenerated, ClassVendored, ClassLock, ClassMinified, ClassBinary, ClassData, ClassSubmodule, ClassSymlink:
		return true
	}
	return false
}

var lockFiles = []string{
	"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "go.sum", "go.work.sum",
	"cargo.lock", "poetry.lock", "pipfile.lock", "uv.lock", "pdm.lock", "composer.lock", "gemfile.lock", "mix.lock", "pubspec.lock",
	"podfile.lock", "package.resolved", "packages.lock.json", "gradle.lockfile", "flake.lock", "deno.lock", ".terraform.lock.hcl",
	"conan.lock", "cartfile.resolved", "module.bazel.lock", "chart.lock",
}

var vendorDirs = []string{"vendor", "node_modules", "third_party", "thirdparty", "bower_components", "jspm_packages", "pods", ".yarn", "external_libs"}

var binaryExt = extensions(`png jpg jpeg gif bmp ico webp avif tif tiff psd pdf zip gz tgz bz2 xz zst 7z rar jar war ear class exe dll so
	dylib a o obj lib bin dat wasm woff woff2 ttf otf eot mp3 mp4 mov avi mkv webm ogg wav flac sqlite sqlite3 db pyc pyo doc docx xls xlsx
	ppt pptx iso dmg deb rpm apk ipa keystore jks p12 pfx`)

func extensions(list string) map[string]bool {
	out := map[string]bool{}
	for e := range strings.FieldsSeq(list) {
		out["."+e] = true
	}
	return out
}

// Classify returns the class and the language of a file. The content may be nil
// (path only) or any beginning of the file; markers of generated code are looked
// for in its first 2 KiB. As authors choose that content, pass the version at
// the merge base where there is one.
func Classify(name string, content []byte) (Class, string) {
	lower := strings.ToLower(name)
	base, ext := path.Base(lower), path.Ext(lower)
	dirs := strings.Split(path.Dir(lower), "/")
	language := Language(name)
	switch {
	case slices.Contains(lockFiles, base):
		return ClassLock, language
	case slices.ContainsFunc(dirs, func(d string) bool { return slices.Contains(vendorDirs, d) }):
		return ClassVendored, language
	case binaryExt[ext], bytes.IndexByte(head(content, 8000), 0) >= 0: // git's own test for binary content looks at 8000 bytes (xdiff-interface.c)
		return ClassBinary, ""
	case isMinified(base, ext, content):
		return ClassMinified, language
	case isGenerated(lower, base, content):
		return ClassGenerated, language
	case isCI(lower, base):
		return ClassCI, language
	case isMigration(dirs, base, ext):
		return ClassMigration, language
	case isDocs(dirs, base, ext):
		return ClassDocs, language
	case isTest(dirs, base, ext, language):
		return ClassTest, language
	case isData(ext):
		return ClassData, language
	case isConfig(base, ext):
		return ClassConfig, language
	case language != "":
		return ClassSource, language
	}
	return ClassData, ""
}

func head(b []byte, n int) []byte { return b[:min(len(b), n)] }

func isMinified(base, ext string, content []byte) bool {
	if strings.HasSuffix(base, ".min.js") || strings.HasSuffix(base, ".min.css") || strings.HasSuffix(base, ".min.mjs") ||
		strings.HasSuffix(base, "-min.js") || strings.HasSuffix(base, ".bundle.js") || ext == ".map" {
		return true
	}
	switch ext {
	case ".js", ".mjs", ".cjs", ".css":
		// Linguist takes an average above 110 bytes per line for minified (lib/linguist/generated.rb).
		return len(content) > 1024 && len(content)/(bytes.Count(content, []byte{'\n'})+1) > 110
	}
	return false
}

func isGenerated(lower, base string, content []byte) bool {
	for _, s := range []string{".pb.go", ".pb.gw.go", ".gen.go", "_gen.go", ".gen.ts", "_pb2.py", "_pb2_grpc.py", "_pb2.pyi", ".pb.cc", ".pb.h",
		".g.dart", ".freezed.dart", ".designer.cs", ".g.cs", "_string.go", ".snap", ".generated.ts", ".generated.go", "_generated.go"} {
		if strings.HasSuffix(base, s) {
			return true
		}
	}
	if strings.HasPrefix(base, "zz_generated") || strings.Contains("/"+lower, "/__generated__/") || strings.Contains("/"+lower, "/generated/") {
		return true
	}
	for line := range bytes.Lines(head(content, 2048)) {
		l := strings.TrimSpace(string(line))
		// The Go rule: https://go.dev/s/generatedcode; @generated is the mark of several other tools.
		if strings.Contains(l, "Code generated ") && strings.Contains(l, "DO NOT EDIT") || strings.Contains(l, "@generated") ||
			strings.Contains(l, "<auto-generated") || strings.Contains(l, "Autogenerated by Thrift") ||
			strings.Contains(l, "Generated by the protocol buffer compiler") {
			return true
		}
	}
	return false
}

func isCI(lower, base string) bool {
	if strings.HasPrefix(lower, ".github/workflows/") || strings.HasPrefix(lower, ".github/actions/") || strings.HasPrefix(lower, ".gitea/workflows/") ||
		strings.HasPrefix(lower, ".forgejo/workflows/") || strings.HasPrefix(lower, ".circleci/") || strings.HasPrefix(lower, ".buildkite/") ||
		strings.HasPrefix(lower, ".woodpecker/") || strings.HasPrefix(lower, ".gitlab/ci/") || strings.HasPrefix(lower, ".ci/") {
		return true
	}
	switch base {
	case ".gitlab-ci.yml", ".gitlab-ci.yaml", "azure-pipelines.yml", "azure-pipelines.yaml", "jenkinsfile", ".travis.yml", ".drone.yml",
		".woodpecker.yml", "bitbucket-pipelines.yml", "appveyor.yml", "cloudbuild.yaml", "action.yml", "action.yaml":
		return true
	}
	return false
}

func isMigration(dirs []string, base, ext string) bool {
	for _, d := range dirs {
		switch d {
		case "migrations", "migration", "migrate", "flyway", "liquibase", "alembic":
			return ext == ".sql" || ext == ".go" || ext == ".py" || ext == ".rb" || ext == ".js" || ext == ".ts" || ext == ".php" ||
				ext == ".xml" || ext == ".yaml" || ext == ".yml" || ext == ".cs" || ext == ".java"
		}
	}
	return strings.HasSuffix(base, ".up.sql") || strings.HasSuffix(base, ".down.sql")
}

func isDocs(dirs []string, base, ext string) bool {
	switch ext {
	case ".md", ".mdx", ".rst", ".adoc", ".asciidoc", ".textile", ".org":
		return true
	case "", ".txt":
		stem := strings.TrimSuffix(base, ext)
		switch stem {
		case "readme", "license", "licence", "copying", "notice", "authors", "contributors", "changelog", "changes", "news", "history", "maintainers", "contributing":
			return true
		}
		return ext == ".txt" && (slices.Contains(dirs, "docs") || slices.Contains(dirs, "doc"))
	}
	return false
}

func isTest(dirs []string, base, ext, language string) bool {
	stem := strings.TrimSuffix(base, ext)
	if strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "_spec") ||
		(strings.HasPrefix(stem, "test_") && ext == ".py") || base == "conftest.py" {
		return language != ""
	}
	switch ext {
	case ".java", ".kt", ".cs", ".scala", ".groovy", ".swift", ".php":
		if strings.HasSuffix(stem, "test") || strings.HasSuffix(stem, "tests") {
			return true
		}
	}
	for _, d := range dirs {
		switch d {
		case "test", "tests", "__tests__", "spec", "specs", "testdata", "fixtures", "__fixtures__", "__mocks__", "e2e", "cypress":
			return true
		}
	}
	return false
}

func isData(ext string) bool {
	switch ext {
	case ".csv", ".tsv", ".ndjson", ".jsonl", ".parquet", ".svg", ".log", ".geojson", ".po", ".pot", ".txt", ".patch", ".diff":
		return true
	}
	return false
}

func isConfig(base, ext string) bool {
	switch ext {
	case ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".env", ".json", ".json5", ".jsonc", ".editorconfig", ".plist", ".xml":
		return true
	}
	return strings.HasPrefix(base, ".") || base == "go.mod" || base == "go.work" || base == "codeowners" || strings.HasPrefix(base, ".env")
}
