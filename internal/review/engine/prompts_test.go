package engine

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The prompts with their versions: whoever changes a text raises the version at the
// head of its file.
func TestPromptFiles(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, p := range promptTexts() {
		fmt.Fprintf(&b, "%s %s %x\n", p.name, p.version, sha256.Sum256([]byte(p.text)))
		if text := textOf(p.name); strings.TrimSpace(text) == "" || strings.Contains(text, "version:") {
			t.Errorf("%s: %q", p.name, text)
		}
	}
	path := filepath.Join("testdata", "prompts.txt")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if b.String() != string(want) {
		t.Errorf("a prompt was changed: raise its version, then -update\n%s", b.String())
	}
}

// Whatever models are told differently has another hash.
func TestPromptHash(t *testing.T) {
	t.Parallel()
	texts, schema := []promptText{{"generate", "1", "Find."}, {"verify", "1", "Check."}}, json.RawMessage(`{}`)
	same := hashOf("1", texts, schema)
	if len(same) != 64 || hashOf("1", texts, schema) != same || len(PromptHash()) != 64 {
		t.Errorf("hashes %s, %s", same, PromptHash())
	}
	for name, other := range map[string]string{
		"form":    hashOf("2", texts, schema),
		"text":    hashOf("1", []promptText{{"generate", "1", "Find it."}, texts[1]}, schema),
		"version": hashOf("1", []promptText{{"generate", "2", "Find."}, texts[1]}, schema),
		"schema":  hashOf("1", texts, json.RawMessage(`{"a":1}`)),
		"fewer":   hashOf("1", texts[:1], schema),
	} {
		if other == same {
			t.Errorf("another %s has the same hash", name)
		}
	}
}
