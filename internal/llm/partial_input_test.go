package llm

import (
	"strings"
	"testing"
)

func TestPartial(t *testing.T) {
	t.Parallel()
	code := strings.Repeat("if err := write(out); err != nil { return err }\n", 1000) // 48,000 characters
	for name, c := range map[string]struct {
		usage Usage
		text  string
		want  bool
	}{
		"all of it":                   {Usage{InputTokens: 12_000}, code, false},
		"few characters for a token":  {Usage{InputTokens: 7_000}, code, false},
		"a half of it":                {Usage{InputTokens: 4_096}, code, true},
		"not counted":                 {Usage{}, code, false},
		"our own estimate":            {Usage{InputTokens: 4_096, Estimated: true}, code, false},
		"no context is so small":      {Usage{InputTokens: 900}, code, false},
		"counted without the cached":  {Usage{InputTokens: 4_096, CachedInputTokens: 8_000}, code, false},
		"counted without the written": {Usage{InputTokens: 4_096, CacheWriteTokens: 8_000}, code, false},
		"white space":                 {Usage{InputTokens: 2_000}, strings.Repeat("x"+strings.Repeat(" ", 47), 1000), false},
		"lines of dashes":             {Usage{InputTokens: 2_000}, strings.Repeat(strings.Repeat("-", 47)+"\n", 1000), false},
		"another script":              {Usage{InputTokens: 9_000}, strings.Repeat("時刻表の項目", 2000), false},
		"a part of another script":    {Usage{InputTokens: 1_024}, strings.Repeat("時刻表の項目", 2000), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Partial(c.usage, "", c.text); got != c.want {
				t.Errorf("partial: %v, want %v", got, c.want)
			}
		})
	}
}
