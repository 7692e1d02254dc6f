package diff

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Class is the kind of content of a file. It decides whether models see the file.
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

// Ignored reports whether models need not see files of the class. Deterministic checks still read them.
func (c Class) Ignored() bool {
	switch c {
	case ClassDocs, ClassGenerated, ClassVendored, ClassLock, ClassMinified, ClassBinary, ClassData, ClassSubmodule, ClassSymlink:
		return true
	}
	return false
}

var binaryExt = extensions(`png jpg jpeg gif bmp ico webp avif tif tiff psd pdf zip gz tgz bz2 xz zst 7z rar jar war ear class exe dll so
	dylib a o obj lib bin dat wasm woff woff2 ttf otf eot mp3 mp4 mov avi mkv webm ogg wav flac sqlite sqlite3 db pyc pyo doc docx xls xlsx
	ppt pptx iso dmg deb rpm apk ipa keystore jks p12 pfx parquet heic nupkg whl egg`)

// literate are the extensions before a document's extension that make a compiler read the document as a
// program.
var literate = extensions("coffee litcoffee hs lhs lagda agda idr lidr js mjs cjs ts jsx tsx svelte vue py sh php erb jl html")

func extensions(list string) map[string]bool {
	out := map[string]bool{}
	for e := range strings.FieldsSeq(list) {
		out["."+e] = true
	}
	return out
}

// Classify returns the class and the language of one version of a file. If content is nil, only the name
// decides, and classes such as vendored and generated are not proven; see [File.Judge]. It looks for marks
// of generated code in the first 4 KiB.
func Classify(name string, content []byte) (Class, string) {
	k := kindOf(name, version{content: content, vendored: true})
	return k.class, k.language
}

// kind is the class and language of one version of a file, and the reason.
type kind struct {
	class    Class
	language string
	by       reason
}

// reason is why a version counts as made by a machine.
type reason uint8

const (
	byName      reason = iota // the name; the content is unknown or the class needs no proof
	byFormat                  // the content has the format of the name
	byMark                    // a comment at the beginning says so, and the name or folder agrees
	byMarkAlone               // a comment at the beginning says so
	byNameOnly                // the name is that of compiled code, and the content does not confirm it
)

// version is the known content of one version of a file.
type version struct {
	content  []byte // nil if unknown
	vendored bool   // whether folders such as vendor count
	part     bool   // the content is the part that a diff shows, not the whole file
}

// kindOf classifies one version of a file by its name and, if known, its content.
func kindOf(name string, v version) kind {
	n, content := named(name), v.content
	k := kind{language: Language(name)}
	if k.language == "" {
		k.language = scriptLanguage(content)
	}
	known := content != nil
	switch {
	case bytes.IndexByte(head(content, 8000), 0) >= 0, binaryExt[n.ext] && !known: // git checks 8000 bytes (xdiff-interface.c)
		return kind{class: ClassBinary}
	case Instructions(name):
		if k.class = ClassSource; isConfig(n.base, n.ext) && n.ext != "" {
			k.class = ClassConfig
		}
	case n.isLock() && (!known || n.lockShaped(content)):
		k.class = ClassLock
	case v.vendored && len(VendorProofs(name)) > 0:
		k.class = ClassVendored
	case n.isMinified(content):
		k.class = ClassMinified
	default:
		return n.handMade(k, v)
	}
	return k
}

// handMade classifies a version that is not a lock file, vendored or minified.
func (n fileName) handMade(k kind, v version) kind {
	content := v.content
	if class, by, is := n.generated(content); is {
		k.class, k.by = class, by
		return k
	}
	switch script := bytes.HasPrefix(content, []byte("#!")); {
	case isCI(n.lower, n.base):
		k.class = ClassCI
	case isMigration(n.dirs, n.base, n.ext):
		k.class = ClassMigration
	case !script && n.isDocs(k.language) && !n.isPrompt() && isProse(content, !v.part):
		k.class = ClassDocs
	case isTest(n.dirs, n.base, n.ext, k.language):
		k.class = ClassTest
	case !script && n.isData() && (content == nil || n.dataShaped(content)):
		k.class = ClassData
	case isConfig(n.base, n.ext):
		k.class = ClassConfig
	default:
		k.class = ClassSource
	}
	return k
}

// fileName holds the parts of a path for the rules, all in lower case.
type fileName struct {
	lower, base, ext string
	dirs             []string
}

func named(name string) fileName {
	lower := strings.ToLower(name)
	return fileName{lower, path.Base(lower), path.Ext(lower), strings.Split(path.Dir(lower), "/")}
}

// in reports whether the file is in a folder with one of the names, at any depth.
func (n fileName) in(folders ...string) bool {
	return slices.ContainsFunc(n.dirs, func(d string) bool { return slices.Contains(folders, d) })
}

// ends reports whether the file's name ends with one of the words.
func (n fileName) ends(list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.HasSuffix(n.base, s) })
}

func head(b []byte, n int) []byte { return b[:min(len(b), n)] }

func isCI(lower, base string) bool {
	if strings.HasPrefix(lower, ".github/workflows/") || strings.HasPrefix(lower, ".github/actions/") ||
		strings.HasPrefix(lower, ".gitea/workflows/") ||
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

// isDocs reports whether only people read the file. MDX is excluded because it is JavaScript, and so are
// text files with the name of a program's input, such as requirements.txt.
func (n fileName) isDocs(language string) bool {
	switch n.ext {
	case ".md", ".rst", ".adoc", ".asciidoc", ".textile", ".org":
		return !literate[path.Ext(strings.TrimSuffix(n.base, n.ext))]
	case "", ".txt":
		switch strings.TrimSuffix(n.base, n.ext) {
		case "readme", "license", "licence", "copying", "notice", "authors", "contributors", "changelog", "changes", "news", "history",
			"maintainers", "contributing":
			return true
		}
		return n.ext == ".txt" && (language == "" || language == "Text") && n.in("docs", "doc")
	}
	return false
}

func isTest(dirs []string, base, ext, language string) bool {
	stem := strings.TrimSuffix(base, ext)
	if strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") ||
		strings.HasSuffix(stem, "_spec") ||
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

func isConfig(base, ext string) bool {
	switch ext {
	case ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".env", ".json", ".json5", ".jsonc", ".editorconfig",
		".plist", ".xml":
		return true
	}
	return strings.HasPrefix(base, ".") || base == "go.mod" || base == "go.work" || base == "codeowners" || strings.HasPrefix(base, ".env")
}
