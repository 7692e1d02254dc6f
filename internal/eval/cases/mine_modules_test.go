package cases

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/testkit"
)

const mit = "MIT License\n\nPermission is hereby granted, free of\ncharge, to any person\n"

// release1 is a module with one source file that returns a number.
func release1(number string, more Files) Files {
	out := Files{"LICENSE": mit, "go.mod": "module example.com/M\n", "say.go": "package m\n\nfunc Say() int {\n\tn := " + number + "\n\treturn n\n}\n", "say_test.go": "package m // " + number + "\n"}
	maps.Copy(out, more)
	return out
}

// zipped writes a release to the cache as the go command does.
func zipped(t *testing.T, cache, escaped, prefix, version string, files Files) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(prefix + "@" + version + "/" + name)
		testkit.OK(t, err)
		_, err = w.Write([]byte(files[name]))
		testkit.OK(t, err)
	}
	testkit.OK(t, z.Close())
	put(t, cache, "cache/download/"+escaped+"/@v/"+version+".zip", b.String())
}

func TestNeighbouringReleases(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	zip := func(version string, files Files) {
		zipped(t, cache, "example.com/!m", "example.com/M", version, files)
	}
	zip("v1.2.2", release1("1", nil))
	for name, content := range release1("2", nil) { // the next one is only extracted
		put(t, cache, "example.com/!m@v1.2.3/"+name, content)
	}
	zip("v1.2.4", release1("2", Files{"new.go": "package m\n"}))
	zip("v1.2.5", release1("2", Files{"new.go": "package m // x\n"}))
	zip("v1.2.7", release1("3", nil))      // without a neighbour
	zip("v1.2.8-rc.1", release1("4", nil)) // a prerelease
	zip("v1.3.0", release1("5", nil))      // another minor version
	zip("v1.10.0", release1("5", Files{"LICENSE": "All rights reserved.\n"}))
	zip("v1.10.1", release1("6", Files{"LICENSE": "All rights reserved.\n"}))

	m, err := MineModules(t.Context(), cache, []string{"example.com/M", "example.com/none"}, nil)
	testkit.OK(t, err)
	same(t, m.Report, MineReport{Looked: 4, Defects: 1, Left: map[string]int{"no release in the module cache": 1, "no licence that is known to be permissive": 1,
		"source files were added, deleted or renamed": 1, "only comments, imports or blank lines changed": 1}})
	list, err := m.Cases(t.Context())
	testkit.OK(t, err)
	same(t, list, []eval.Case{{ID: "example.com-M-v1.2.2", Set: "mined", Repository: "example.com/M", Language: "Go", Kind: eval.Defect, Title: "Update say.go", Heads: 1, Licence: "MIT",
		Origin: "releases v1.2.2 and v1.2.3, turned round",
		Golden: []eval.Golden{{Path: "say.go", Side: domain.Right, StartLine: 4, EndLine: 4, Defect: "d1", Category: "patch release"}}}})
	heads := opened(t, m, list[0])
	if got := changed(t, heads[0].Diff); got["RIGHT say.go:4"] != "\tn := 1" || got["LEFT say.go:4"] != "\tn := 2" || len(got) != 2 {
		t.Errorf("%v", got)
	}
	dir := t.TempDir()
	testkit.OK(t, m.Write(t.Context(), dir))
	if again := opened(t, Folder(dir), list[0]); string(again[0].Diff) != string(heads[0].Diff) {
		t.Errorf("the written case is another change:\n%s", again[0].Diff)
	}
	testkit.OK(t, os.RemoveAll(filepath.Join(cache, "example.com", "!m@v1.2.3")))
	if _, _, err := m.Open(t.Context(), list[0]); !errors.Is(err, eval.ErrNoCode) {
		t.Errorf("the error is %v", err)
	}
}

func TestArchivesAreRefused(t *testing.T) {
	t.Parallel()
	good := release1("1", nil)
	for name, c := range map[string]struct {
		prefix string
		files  Files
		raw    string
		want   string
	}{
		"no zip":             {raw: "x", want: "a.zip must be a zip archive"},
		"another module":     {prefix: "example.com/other", files: good, want: "a.zip: the name of a file must begin with the module and its version, and stay below"},
		"a path that climbs": {prefix: "example.com/M", files: Files{"../../x": "y"}, want: "a.zip: the name of a file must begin with the module and its version, and stay below"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, dir, "a.zip", c.raw)
			if c.files != nil {
				zipped(t, dir, "x", c.prefix, "v1.0.0", c.files)
				testkit.OK(t, os.Rename(filepath.Join(dir, "cache/download/x/@v/v1.0.0.zip"), filepath.Join(dir, "a.zip")))
			}
			root, err := openRoot(dir)
			testkit.OK(t, err)
			defer root.Close()
			if _, err := unzip(t.Context(), root, "a.zip", "example.com/M@v1.0.0/"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
	if _, err := MineModules(t.Context(), t.TempDir(), []string{"../x"}, nil); err == nil || !strings.Contains(err.Error(), "must be the path of a Go module") {
		t.Errorf("the error is %v", err)
	}
	// A few kilobytes that expand beyond the limit of a file are not kept in memory: the file is left out.
	dir := t.TempDir()
	zipped(t, dir, "x", "example.com/M", "v1.0.0", Files{"big.go": strings.Repeat(" ", maxFileBytes+1), "a.go": "package a\n"})
	root, err := openRoot(dir)
	testkit.OK(t, err)
	defer root.Close()
	files, err := unzip(t.Context(), root, "cache/download/x/@v/v1.0.0.zip", "example.com/M@v1.0.0/")
	if err != nil || len(files) != 1 || files["a.go"] == "" {
		t.Errorf("%d files, %v", len(files), err)
	}
}

func TestLicences(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files Files
		want  string
	}{
		"MIT":                 {Files{"LICENSE": mit}, "MIT"},
		"Apache":              {Files{"LICENSE.txt": "  Apache License\n  Version 2.0, January 2004\n"}, "Apache-2.0"},
		"BSD":                 {Files{"LICENCE.md": "Redistribution and use in source and binary forms … Neither the name of"}, "BSD-3-Clause"},
		"GPL":                 {Files{"COPYING": "GNU GENERAL PUBLIC LICENSE"}, ""},
		"only in a subfolder": {Files{"sub/LICENSE": mit}, ""},
		"two, the first one":  {Files{"COPYING": "Mozilla Public License", "LICENSE": mit}, ""},
	} {
		if got := licenceOf(c.files); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A module that is too large for a case does not affect the others.
func TestALargeModuleEndsNoMining(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	many := Files{}
	for i := range maxFiles/2 + 1 {
		many[fmt.Sprintf("doc/%d", i)] = ""
	}
	for _, version := range []string{"v1.0.0", "v1.0.1"} {
		zipped(t, cache, "example.com/large", "example.com/large", version, release1(version[5:], many))
		zipped(t, cache, "example.com/!m", "example.com/M", version, release1(version[5:], nil))
		folder := release1(version[5:], Files{"doc": "a file", "doc/x": "and a folder"})
		zipped(t, cache, "example.com/odd", "example.com/odd", version, folder)
	}
	m, err := MineModules(t.Context(), cache, []string{"example.com/large", "example.com/odd", "example.com/M"}, nil)
	testkit.OK(t, err)
	same(t, m.Report, MineReport{Looked: 3, Defects: 1, Left: map[string]int{"a release cannot be read": 1, "the two versions cannot be put together": 1}})
}

// A file that expands beyond the limit is not read, whatever size its header claims.
func TestArchivesAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	blank := strings.Repeat(" ", maxFileBytes+1)
	zipped(t, dir, "x", "example.com/M", "v1.0.0", Files{"big.go": blank})
	file := filepath.Join(dir, "cache/download/x/@v/v1.0.0.zip")
	raw, err := os.ReadFile(file)
	testkit.OK(t, err)
	// Every byte of the content is invalid, so that inflating it would return an error.
	at := bytes.Index(raw, []byte("big.go")) + len("big.go")
	end := bytes.LastIndex(raw, []byte("PK\x01\x02"))
	for i := at; i < end-24; i++ {
		raw[i] = 0xff
	}
	testkit.OK(t, os.WriteFile(file, raw, 0o600))
	root, err := openRoot(dir)
	testkit.OK(t, err)
	defer root.Close()
	const name, prefix = "cache/download/x/@v/v1.0.0.zip", "example.com/M@v1.0.0/"
	if files, err := unzip(t.Context(), root, name, prefix); err != nil || len(files) != 0 {
		t.Errorf("a file that is too large was read: %d files, %v", len(files), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := unzip(ended, root, name, prefix); !errors.Is(err, context.Canceled) {
		t.Errorf("it continues to read: %v", err)
	}
}
