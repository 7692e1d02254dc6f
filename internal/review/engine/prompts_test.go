package engine

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/ask"
)

// The golden file has each prompt with its version. A change of a prompt's text must raise the version
// at the head of its file.
func TestPromptFiles(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, p := range promptTexts() {
		fmt.Fprintf(&b, "%s %s %x\n", p.Name, p.Version, sha256.Sum256([]byte(p.Text)))
		if text := ask.TextIn(promptTexts(), p.Name); strings.TrimSpace(text) == "" || strings.Contains(text, "version:") {
			t.Errorf("%s: %q", p.Name, text)
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

// Every change of what models are told changes the hash.
func TestPromptHash(t *testing.T) {
	t.Parallel()
	texts, schema := []ask.Text{{Name: "generate", Version: "1", Text: "Find."}, {Name: "verify", Version: "1", Text: "Check."}}, json.RawMessage(`{}`)
	same := ask.Hash("1", texts, schema)
	if len(same) != 64 || ask.Hash("1", texts, schema) != same || len(PromptHash()) != 64 {
		t.Errorf("hashes %s, %s", same, PromptHash())
	}
	for name, other := range map[string]string{
		"form":    ask.Hash("2", texts, schema),
		"text":    ask.Hash("1", []ask.Text{{Name: "generate", Version: "1", Text: "Find it."}, texts[1]}, schema),
		"version": ask.Hash("1", []ask.Text{{Name: "generate", Version: "2", Text: "Find."}, texts[1]}, schema),
		"schema":  ask.Hash("1", texts, json.RawMessage(`{"a":1}`)),
		"fewer":   ask.Hash("1", texts[:1], schema),
	} {
		if other == same {
			t.Errorf("another %s has the same hash", name)
		}
	}
}
