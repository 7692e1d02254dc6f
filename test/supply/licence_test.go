package supply

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mayBeLinked are the licences that are compatible with the Apache License 2.0 of the open core in one
// binary, by their SPDX names. MPL-2.0 requires only changed files to be published (its section 3.1),
// and we change none.
var mayBeLinked = map[string]bool{"Apache-2.0": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "ISC": true, "MIT": true, "MPL-2.0": true, "Unlicense": true, "CC0-1.0": true}

// licences are recognised by words of their texts. The first match counts. MPL-2.0 names the GNU
// licences, so it comes before them, as does a text that offers the choice between one of them and a
// licence that may be linked, which is then chosen.
var licences = []struct{ name, has, hasToo string }{
	{"BSD-3-Clause", "spdx-license-identifier: bsd-3-clause or gpl-2.0-only", ""},
	{"MPL-2.0", "mozilla public license", "2.0"},
	{"AGPL", "gnu affero general public license", ""},
	{"LGPL", "gnu lesser general public license", ""},
	{"GPL", "gnu general public license", ""},
	{"Apache-2.0", "apache license", "version 2.0"},
	{"Unlicense", "this is free and unencumbered software", ""},
	{"CC0-1.0", "cc0 1.0 universal", ""},
	{"BSD-3-Clause", "redistribution and use in source and binary forms", "endorse or promote"},
	{"BSD-2-Clause", "redistribution and use in source and binary forms", ""},
	{"MIT", "permission is hereby granted, free of charge", ""},
	{"ISC", "permission to use, copy, modify, and", ""},
}

// licenceOf returns the licence of a module by its text.
func licenceOf(dir string) (string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		name := strings.ToLower(f.Name())
		if f.IsDir() || !strings.HasPrefix(name, "licen") && !strings.HasPrefix(name, "copying") && !strings.HasPrefix(name, "unlicense") {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return "", err
		}
		if licence := named(string(raw)); licence != "" {
			return licence, nil
		}
	}
	return "", errors.New("no text of a licence that is known")
}

func named(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, l := range licences {
		if strings.Contains(text, l.has) && strings.Contains(text, l.hasToo) {
			return l.name
		}
	}
	return ""
}

func TestLicencesAreRecognised(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"                                 Apache License\n                           Version 2.0, January 2004":  "Apache-2.0",
		"Mozilla Public License Version 2.0 … \"Secondary License\" means either the GNU General Public License": "MPL-2.0",
		"GNU GENERAL PUBLIC LICENSE\nVersion 3":                "GPL",
		"GNU AFFERO GENERAL PUBLIC\nLICENSE":                   "AGPL",
		"GNU Lesser General Public License":                    "LGPL",
		"Permission is hereby granted, free of charge, to any": "MIT",
		"Redistribution and use in source and binary forms, with or without … to endorse or promote products": "BSD-3-Clause",
		"Redistribution and use in source and binary forms, with or without":                                  "BSD-2-Clause",
		"/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */ … GNU GENERAL PUBLIC LICENSE":            "BSD-3-Clause",
		"All rights reserved.": "",
	} {
		if got := named(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
