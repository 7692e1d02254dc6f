package diff

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

const script = "$key = \"value\"\nif ($x) {\n  Invoke-Thing 'ä' # 东京\n}\n"

func encode16(s string, order binary.AppendByteOrder, mark bool) []byte {
	var out []byte
	if mark {
		s = "\uFEFF" + s
	}
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

func encode32(s string, order binary.AppendByteOrder, mark bool) []byte {
	var out []byte
	if mark {
		s = "\uFEFF" + s
	}
	for _, r := range s {
		out = order.AppendUint32(out, uint32(r)) //nolint:gosec // a character
	}
	return out
}

// Text in every encoding is readable.
func TestTextOfEveryEncoding(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string][]byte{
		"UTF-8": []byte(script), "UTF-8 with a mark": []byte("\uFEFF" + script),
		"UTF-16 LE": encode16(script, binary.LittleEndian, false), "UTF-16 LE with a mark": encode16(script, binary.LittleEndian, true),
		"UTF-16 BE": encode16(script, binary.BigEndian, false), "UTF-16 BE with a mark": encode16(script, binary.BigEndian, true),
		"UTF-32 LE": encode32(script, binary.LittleEndian, false), "UTF-32 LE with a mark": encode32(script, binary.LittleEndian, true),
		"UTF-32 BE": encode32(script, binary.BigEndian, false), "UTF-32 BE with a mark": encode32(script, binary.BigEndian, true),
	} {
		text, ok := Text(raw)
		if !ok || strings.TrimPrefix(string(text), "\uFEFF") != script {
			t.Errorf("%s: %q, %v", name, text, ok)
		}
	}
	for raw, want := range map[string]string{
		"// \x00\nlet a = 1\n": "// ␀\nlet a = 1\n", "caf\xe9 = 1\n": "café = 1\n", "/*" + strings.Repeat("\x00", 5000) + "*/ run()\n": "/*" + strings.Repeat("␀", 5000) + "*/ run()\n",
		"GIF89a/*\x00*/=1;run()": "GIF89a/*␀*/=1;run()", "": "",
	} {
		if text, ok := Text([]byte(raw)); !ok || string(text) != want {
			t.Errorf("%.40q: %.40q, %v", raw, text, ok)
		}
	}
}

func TestTextIsNotEverything(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		raw := make([]byte, 2000+2*r.IntN(3000))
		for i := range raw {
			raw[i] = byte(r.UintN(256))
		}
		if _, ok := Text(raw); ok {
			t.Fatal("random bytes are taken for a text")
		}
	}
	if _, ok := Text([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x10\x00\x00\x00\x10\x08\x06\x00\x00\x00\x1f\xf3\xffa")); ok {
		t.Error("a picture is taken for a text")
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("a\x00b"))
	f.Add(encode16(script, binary.LittleEndian, true))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if text, ok := Text(raw); ok && strings.ContainsRune(string(text), 0) {
			t.Error("a NUL is left")
		}
	})
}

func TestProgramsThatAreNoText(t *testing.T) {
	t.Parallel()
	noise := string([]byte{1, 2, 3, 4, 0, 0xff, 0xfe, 5, 6, 7, 8})
	for _, c := range []struct {
		path, raw string
		mode      uint32
		want      bool
	}{
		{"a.js", noise, 0, true}, {"bin/run", noise, 0o100755, true}, {"a.png", "\x89PNG" + noise, 0, false}, {"a.png", "\x89PNG" + noise + "<?php run();", 0, true},
		{"bin/tool", "\x7fELF" + noise, 0o100755, false}, {"model.onnx", noise, 0o100644, false}, {"Makefile", noise, 0, true}, {"x", "#!/bin/sh\n" + noise, 0, true},
	} {
		f := &File{Path: c.path, Mode: c.mode}
		if got := f.Program([]byte(c.raw)); got != c.want {
			t.Errorf("%s: %v", c.path, got)
		}
	}
}

// Compressed data contains the short signatures by chance.
func TestRandomBytesAreNoProgram(t *testing.T) {
	t.Parallel()
	r := rand.NewChaCha8([32]byte{7})
	raw := make([]byte, 800<<10)
	for _, f := range []*File{{Path: "a.png"}, {Path: "a.webp"}} {
		for range 500 {
			if _, _ = r.Read(raw); f.Program(raw) {
				t.Fatal("random bytes are taken for a program")
			}
		}
	}
	for text, want := range map[string]bool{
		"<?= \x01": false, "<%=a\x80": false, "<?=`$_GET[0]`?>": true, "<?php system(1);": true, "<script>f()": true, "<%@ page import=\"java.io.*\" %>": true, "<?=system($_REQUEST['cmd']);": true, "<scripted": false,
	} {
		for _, magic := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "RIFF", "%PDF-1.7", "wOF2"} {
			if got := (&File{Path: "a.png"}).Program([]byte(magic + "\x00\x01\xff" + text + "\x00\xfe")); got != want {
				t.Errorf("%q after %q: %v", text, magic, got)
			}
		}
	}
}

// Pointers of Git LFS are recognised, and the stored content is not read.
func TestPointersOfLFS(t *testing.T) {
	t.Parallel()
	const ptr = "version https://git-lfs.github.com/spec/v1\noid sha256:a1a1\nsize 1234\n"
	for name, c := range map[string]struct {
		path, base, head string
		class            Class
		note             string
	}{
		"code from now on":     {"auth.js", jsCode, ptr, ClassBinary, NoteLFS},
		"code, before and now": {"auth.js", ptr, strings.Replace(ptr, "a1", "b2", 1), ClassBinary, NoteLFS},
		"new code":             {"auth.py", "", ptr, ClassBinary, NoteLFS},
		"a script":             {"bin/run", "", ptr, ClassBinary, NoteLFS},
		"a picture":            {"a.png", "", ptr, ClassBinary, ""},
		"a model":              {"a.onnx", ptr, ptr, ClassBinary, ""},
		"text under its name":  {"a.png", jsCode, ptr, ClassBinary, NoteLFS},
		"a table":              {"a.csv", ptr, ptr, ClassBinary, ""},
		"back in Git":          {"auth.js", ptr, jsCode, ClassSource, ""},
		"a text about it":      {"a.py", "", ptr + "x = 1\n", ClassSource, ""},
	} {
		f := &File{Path: c.path, Status: Modified}
		v := Versions{Base: []byte(c.base), Head: []byte(c.head)}
		if c.base == "" {
			f.Status, v.Base = Added, nil
		}
		if f.Judge(v); f.Class != c.class || f.Note != c.note {
			t.Errorf("%s: %s %q", name, f.Class, f.Note)
		}
	}
}
