package diff

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-enry/go-enry/v2/data"
)

// The embedded table matches the names in go-enry. Another version of the library needs another table.
func TestLanguagesAreThoseOfLinguist(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, part := range []struct {
		kind string
		all  map[string][]string
	}{{"extension", data.LanguagesByExtension}, {"interpreter", data.LanguagesByInterpreter}, {"name", data.LanguagesByFilename}} {
		lower := map[string]string{}
		for _, key := range slices.Sorted(maps.Keys(part.all)) {
			name := key
			if part.kind != "interpreter" {
				name = strings.ToLower(key)
			}
			if strings.ContainsAny(name, "\t\n/") || part.kind == "extension" && strings.Count(name, ".") > 1 {
				continue
			}
			if l := favourite(part.all[key]); !noLanguages[l] && data.LanguagesType[l] != int(data.TypeProse) && name != ".txt" {
				lower[name] = cmp.Or(lower[name], l)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(lower)) {
			fmt.Fprintf(&b, "%s\t%s\t%s\n", part.kind, key, lower[key])
		}
	}
	if *update {
		if err := os.WriteFile("languages.tsv", []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if b.String() != languageData {
		t.Error("languages.tsv is of another version of go-enry: run go test ./internal/diff -run Linguist -update")
	}
}

// favourite returns the language of an extension that several languages use: programming languages come
// before markup, and markup before data and prose.
func favourite(languages []string) string {
	order := slices.Clone(languages)
	rank := func(l string) int {
		switch data.LanguagesType[l] {
		case int(data.TypeProgramming):
			return 0
		case int(data.TypeMarkup):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(order, func(a, b string) int { return rank(a) - rank(b) })
	return cmp.Or(ownNames[order[0]], order[0])
}

// ownNames has the languages that other parts of assay call by another name.
var ownNames = map[string]string{"Shell": "Bash", "Dockerfile": "Docker", "Markdown": "markdown", "Vue": "vue", "JSON with Comments": "JSON", "Starlark": "Python"}

// noLanguages lists formats that are not languages.
var noLanguages = map[string]bool{"CSV": true, "TSV": true, "Go Checksums": true, "Checksums": true, "Text": true}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a.cu": "Cuda", "x.html.erb": "HTML+ERB", "x.cshtml": "HTML+Razor", "x.ejs": "EJS", "x.jsp": "Java Server Pages", "x.j2": "Jinja", "x.twig": "Twig",
		"x.astro": "Astro", "x.templ": "templ", "x.bicep": "Bicep", "schema.prisma": "Prisma", "build.sbt": "Scala", "A.csproj": "XML", "requirements.txt": "Pip Requirements",
		"requirements/dev-requirements.txt": "Pip Requirements", "CMakeLists.txt": "CMake", "Justfile": "Just", "Procfile": "Procfile", "MODULE.bazel": "Python", "x.f90": "Fortran Free Form",
		"x.cob": "COBOL", "x.pkb": "PLSQL", "x.glsl": "GLSL", "x.ixx": "C++", "x.bats": "Bash", "x.ipynb": "Jupyter Notebook", "docs/a.mdx": "MDX", "Makefile": "Makefile", "x.zzz": "",
	} {
		if got := Language(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for line, want := range map[string]string{
		"#!/bin/sh\n": "Bash", "#!/usr/bin/env python3.12\n": "Python", "#!/usr/bin/env -S deno run\n": "TypeScript", "\uFEFF#! /usr/bin/perl -w\n": "Perl", "#!/opt/odd\n": "Script",
		"# no\n": "", "": "",
	} {
		if got := scriptLanguage([]byte(line)); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
