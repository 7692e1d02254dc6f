package around

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Bounds of manifests.
const (
	manifestLines = 120 // of a manifest that are shown
	maxManifestUp = 12  // folders that are searched for it, from a file upwards
	maxPackages   = 200 // of a file that are looked up in it, the first ones
)

// manifests are the files that name the dependencies and files of a package, by language.
var manifests = map[string][]string{
	"Go": {"go.mod"}, "Python": {"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"}, "Rust": {"Cargo.toml"},
	"Java": {"pom.xml", "build.gradle", "build.gradle.kts"}, "Kotlin": {"build.gradle.kts", "build.gradle", "pom.xml"},
	"PHP": {"composer.json"}, "Ruby": {"Gemfile"}, "Elixir": {"mix.exs"}, "Swift": {"Package.swift"}, "Dart": {"pubspec.yaml"},
}

// Manifest returns the beginning of the nearest manifest above a file, if the change adds the file, or adds an import to it
// whose package the manifest lacks.
func (a Around) Manifest(ctx context.Context, t *change.Target, src change.Source) []Excerpt {
	names := manifests[t.File.Language]
	if structure.IsScript(t.File.Language) {
		names = []string{"package.json"}
	}
	packages := addedPackages(t)
	if !a.searched || len(names) == 0 || t.File.Class == diff.ClassTest || t.File.Status != diff.Added && len(packages) == 0 {
		return nil
	}
	for dir, up := path.Dir(t.File.Path), 0; up < maxManifestUp; dir, up = path.Dir(dir), up+1 {
		for _, n := range names {
			at := path.Join(dir, n)
			if change.Hides(a.policy, at) {
				continue
			}
			blob, err := src.Blob(ctx, domain.Right, at)
			if err != nil {
				continue
			}
			if t.File.Status != diff.Added && listsAll(blob, packages) {
				return nil
			}
			f := readFile(at, blob)
			end := min(len(f.lines), manifestLines)
			whole := structure.Piece{Path: at, Start: 1, End: end, Text: strings.Join(f.lines[:end], "\n") + "\n"}
			return []Excerpt{{whole, "the manifest", WhyManifest}}
		}
		if dir == "." {
			break
		}
	}
	return nil
}

// listsAll reports whether a manifest has all packages: by a key of package.json, or by a module of go.mod that the package is in.
func listsAll(manifest []byte, packages []string) bool {
	names := map[string]bool{}
	for m := range strings.FieldsFuncSeq(manifestComment.ReplaceAllString(string(manifest), ""), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`"{}:,`, r)
	}) {
		names[m] = true
	}
	return !slices.ContainsFunc(packages, func(p string) bool { return !listed(p, names) })
}

// listed reports whether names of a manifest have a package or a module that it is in.
func listed(pkg string, names map[string]bool) bool {
	if names[pkg] {
		return true
	}
	for at := range len(pkg) {
		if pkg[at] == '/' && names[pkg[:at]] && strings.Contains(pkg[:at], ".") {
			return true
		}
	}
	return false
}

// manifestComment matches comments of go.mod, and values of package.json, which may be the names of other packages.
var manifestComment = regexp.MustCompile(`(?m)^\s*//.*$|\s//\s.*$|:\s*"[^"\n]*"`)

// addedPackages returns the packages outside the repository that added lines of Go, JavaScript and TypeScript import, each once
// and at most maxPackages of them.
func addedPackages(t *change.Target) (out []string) {
	add := func(pkg string) {
		if len(out) < maxPackages && !slices.Contains(out, pkg) {
			out = append(out, pkg)
		}
	}
	for _, h := range t.Hunks {
		for _, l := range h.Lines {
			m := quoted.FindStringSubmatch(l.Text)
			if l.Op != diff.Add || len(l.Text) > change.MaxSearchedLine || m == nil || !importing.MatchString(l.Text) {
				continue
			}
			parts := strings.Split(m[1], "/")
			switch {
			case t.File.Language == "Go" && strings.Contains(parts[0], "."):
				add(m[1])
			case !structure.IsScript(t.File.Language) || parts[0] == "" || strings.ContainsAny(parts[0], ".~#:") || parts[0] == "@":
			case builtIn[parts[0]] || strings.Contains("/"+path.Dir(t.File.Path)+"/", "/"+parts[0]+"/"): // or a folder of the repository
			case parts[0][0] == '@' && len(parts) > 1:
				add(parts[0] + "/" + parts[1])
			default:
				add(parts[0])
			}
		}
	}
	return out
}

var quoted = regexp.MustCompile(`["']([^"'\s]+)["']`)

// builtIn are the modules of Node.js, which no manifest lists.
var builtIn = wordSet(`assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
	events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream
	string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib`)
