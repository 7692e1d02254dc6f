package diff

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// isData reports whether the name is that of data which programs only read. The
// content must have the shape, see dataShaped; any other text is shown to models.
func (n fileName) isData() bool {
	switch n.ext {
	case ".csv", ".tsv", ".ndjson", ".jsonl", ".svg", ".geojson", ".po", ".pot":
		return true
	}
	return false
}

// dataShaped reports whether a text is what the extension of its name says. An author
// chooses the name: code that is called data is no data.
func (n fileName) dataShaped(content []byte) bool {
	switch n.ext {
	case ".csv":
		return delimited(content, ",;|\t")
	case ".tsv":
		return delimited(content, "\t")
	case ".ndjson", ".jsonl":
		return everyLine(content, jsonLine.Match)
	case ".po", ".pot":
		return everyLine(content, gettextLine.Match)
	case ".geojson":
		return jsonShaped(content)
	case ".svg":
		return bytes.Contains(head(content, 4096), []byte("<svg")) && svgStart.Match(content) && !svgProgram.Match(content)
	}
	return false
}

var (
	jsonLine    = regexp.MustCompile(`^\s*[\[{"].*[\]}"]\s*$`)
	gettextLine = regexp.MustCompile(`^\s*(#|"|msgid|msgstr|msgctxt|msgid_plural)`)
	svgStart    = regexp.MustCompile(`^(\x{FEFF})?\s*<(\?xml|!--|!DOCTYPE|svg)`)
	svgProgram  = regexp.MustCompile(`(?i)<script|<foreignobject|<iframe|<embed|\son\w+\s*=|javascript:|<!ENTITY|data:text/html`)
	// programLine is a line that stands in programs and in no list of packages or values.
	programLine = regexp.MustCompile(`=>|\)\s*\{\s*$|^\s*import\s+[\w{*]|^\s*from\s+\S+\s+import\b|^\s*(def|class|function|func|fn|sub|proc)\s+[\w$]+\s*[({:<]|` +
		`^\s*(var|let|const|my|local)\s+[\w$]+\s*=|^\s*return\s|^\s*(if|for|while)\s*[(\[]|^\s*(if|for|while)\s.*(:|; (do|then))\s*$|` +
		`^\s*(package|module|use|using)\s+[\w.:]+;?\s*$|` +
		`^\s*#include\b|^#!|\b(eval|exec|system|require|__import__|popen|spawn)\s*\(|\$\(|<\?php|<script|\bmodule\.exports\b`)
	statement = regexp.MustCompile(`[\w)\]"']\s*;\s*$`)
)

// everyLine reports whether each line that is not blank passes a test.
func everyLine(content []byte, test func([]byte) bool) bool {
	for line := range bytes.Lines(content) {
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 && !test(line) {
			return false
		}
	}
	return true
}

// delimited reports whether nearly all lines have as many delimiters as the first, and no line is
// one of a program.
func delimited(content []byte, delimiters string) bool {
	lines, alike, most := 0, 0, 0
	var delimiter byte
	plain := everyLine(content, func(line []byte) bool {
		if lines == 0 {
			for _, d := range []byte(delimiters) {
				if n := bytes.Count(line, []byte{d}); n > most {
					delimiter, most = d, n
				}
			}
		}
		lines++
		if n := bytes.Count(line, []byte{delimiter}); n == most || n > most && bytes.IndexByte(line, '"') >= 0 {
			alike++
		}
		return !programLine.Match(line)
	})
	return plain && (lines == 0 || most > 0 && 10*alike >= 9*lines)
}

// jsonShaped reports whether a text is JSON, or lines out of the middle of JSON as a
// diff shows them.
func jsonShaped(content []byte) bool {
	if json.Valid(bytes.TrimPrefix(content, []byte("\uFEFF"))) {
		return true
	}
	return everyLine(content, jsonPart.Match)
}

var jsonPart = regexp.MustCompile(`^\s*("([^"\\]|\\.)*"\s*(:\s*("([^"\\]|\\.)*"|-?[\d.eE+-]+|true|false|null|[\[{][\s\]}]*)?)?|-?[\d.eE+-]+|true|false|null|[\[\]{}]+)?\s*[,\]}\[{]*\s*$`)

// Names of lock files by the form of their content.
var (
	jsonLocks = []string{"package-lock.json", "npm-shrinkwrap.json", "composer.lock", "pipfile.lock", "package.resolved",
		"packages.lock.json", "flake.lock", "deno.lock", "module.bazel.lock", "conan.lock", "bun.lock", "brewfile.lock.json",
		"maven_install.json", "project.assets.json", "vcpkg-lock.json", "devbox.lock", "lake-manifest.json", "skills-lock.json"}
	lineLocks = []string{"yarn.lock", "pnpm-lock.yaml", "cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "pylock.toml",
		"gemfile.lock", "gems.locked", "mix.lock", "pubspec.lock", "podfile.lock", "gradle.lockfile", "buildscript-gradle.lockfile",
		".terraform.lock.hcl", "cartfile.resolved", "chart.lock", "stack.yaml.lock", "cabal.project.freeze", "rebar.lock", "buf.lock",
		"pixi.lock", "conda-lock.yml", "paket.lock", "shard.lock", "snakefile.lock", "dub.selections.json", "requirements.lock",
		"requirements-dev.lock", "cpanfile.snapshot", "renv.lock", "melos.lock", "berksfile.lock", "puppetfile.lock", "metadata.lock",
		"spago.lock", "gleam.lock", "manifest.toml", "verification-metadata.xml", "aqua-checksums.json", "opam.locked", "gopkg.lock",
		"glide.lock", "verification-keyring.keys", "packages.lock", "nimble.lock", "haxelib.lock", "flox.lock", "dvc.lock",
		"pnpm-lock.yml", "npins.json"}
	sumLocks = []string{"go.sum", "go.work.sum", "atlas.sum"}
)

// isLock reports whether the name is that of a lock file: a list of versions that a
// package manager writes.
func (n fileName) isLock() bool {
	return n.base == "bun.lockb" || slices.Contains(jsonLocks, n.base) || slices.Contains(lineLocks, n.base) || slices.Contains(sumLocks, n.base)
}

// LockName reports whether a path is named like a lock file.
func LockName(name string) bool { return named(name).isLock() }

var (
	sumLine      = regexp.MustCompile(`^(h1:\S+|\S+ (v\S+ )?h1:\S+)$`)
	juliaLock    = regexp.MustCompile(`(?m)^(# This file is machine-generated|manifest_format|julia_version|\[\[deps)`)
	verification = regexp.MustCompile(`<(verification-metadata|configuration|components?|artifact|sha\d+|pgp|origin|trusted-key|also-trust|ignored-key)`)
)

// lockShaped reports whether a text may be the lock file that its name says. Its lines
// are lists of names, versions and digests, and none is one of a program.
func (n fileName) lockShaped(content []byte) bool {
	switch {
	case slices.Contains(sumLocks, n.base):
		return everyLine(content, sumLine.Match)
	case n.base == "bun.lock", !slices.Contains(jsonLocks, n.base):
		if n.base == "manifest.toml" && !juliaLock.Match(content) || n.base == "verification-metadata.xml" && !verification.Match(content) {
			return false
		}
		return everyLine(content, func(line []byte) bool { return !programLine.Match(line) && !statement.Match(line) })
	}
	return jsonShaped(content)
}

// isMinified reports whether a tool has packed the file. The content, where it is
// known, must look so: the name is the author's.
func (n fileName) isMinified(content []byte) bool {
	if n.ext == ".map" {
		return content == nil || bytes.Contains(content, []byte(`"mappings"`)) && jsonShaped(content)
	}
	switch n.ext {
	case ".js", ".mjs", ".cjs", ".css":
		if content == nil {
			return n.packed()
		}
		return (len(content) > 1024 || n.packed()) && longLined(content)
	}
	return false
}

// longLine is the average from which Linguist takes a file for minified
// (lib/linguist/generated.rb).
const longLine = 110

// longLined reports whether a script is in long lines: on average, and with hardly a short line
// that is no comment, so that one long comment does not hide the code beside it.
func longLined(content []byte) bool {
	long, short := 0, 0
	for line := range bytes.Lines(content) {
		switch line = bytes.TrimSpace(line); {
		case len(line) > longLine:
			long++
		case len(line) > 0 && !comment.Match(line):
			short++
		}
	}
	return len(content)/(bytes.Count(content, []byte{'\n'})+1) > longLine && short <= long+3
}

// packed reports whether the name or the folder is that of packed scripts.
func (n fileName) packed() bool {
	stem := strings.TrimSuffix(n.base, n.ext)
	return slices.ContainsFunc([]string{".min", "-min", ".bundle", ".prod", ".chunk"}, func(end string) bool { return strings.HasSuffix(stem, end) })
}
