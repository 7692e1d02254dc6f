package llm

import (
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		at     int
		shared string
	}{
		"none":           {"ab", 0, ""},
		"a part":         {"ab", 1, "a"},
		"all":            {"ab", 2, ""},
		"blank before":   {"  b", 2, ""},
		"blank after":    {"a \n", 1, ""},
		"beyond the end": {"ab", 9, ""},
		"below zero":     {"ab", -1, ""},
		"no text":        {"", 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			shared, rest := Message{Text: c.text, Shared: c.at}.Split()
			if shared != c.shared || shared+rest != c.text || shared != "" && strings.TrimSpace(rest) == "" {
				t.Errorf("%q, %q", shared, rest)
			}
		})
	}
}
