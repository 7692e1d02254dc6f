package chat_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/chat"
)

// TestAnInputThatWasCutIsTooLong: Ollama answers 200 and counts as many tokens as its context has.
func TestAnInputThatWasCutIsTooLong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		characters, tokens int
		cut                bool
	}{
		"whole code":         {40_000, 11_000, false},
		"whole prose":        {40_000, 8_200, false},
		"whole, round":       {16_000, 4096, false},
		"dense":              {60_000, 8_000, false},
		"a half":             {40_000, 4096, true},
		"a fourth":           {80_000, 4096, true},
		"messages dropped":   {80_000, 3_900, true},
		"none counted":       {80_000, 0, false},
		"a small number":     {80_000, 40, false},
		"short":              {3_000, 1024, false},
		"letters, not bytes": {-16_000, 4096, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"data":[{"embedding":[1,2]}],"usage":{"prompt_tokens":%d,"completion_tokens":1}}`, c.tokens)
			})
			text := strings.Repeat("x", max(c.characters, 0)) + strings.Repeat("ж", max(-c.characters, 0))
			req := llm.Request{Model: "m", System: text[:len(text)/2], Messages: []llm.Message{{Role: llm.User, Text: text[len(text)/2:]}}}
			for _, watched := range []bool{true, false} {
				cl, _ := client(t, answer, func(cfg *chat.Config) { cfg.CutsInput = watched })
				out, err := cl.Complete(t.Context(), req)
				e, failed := errors.AsType[*llm.Error](err)
				if failed != (c.cut && watched) || failed && (e.Class != llm.ClassContextLength || out.Text != "") || out.Usage.InputTokens != int64(c.tokens) {
					t.Errorf("%+v, %v", out, err)
				}
				vectors, err := cl.Embed(t.Context(), llm.EmbedRequest{Model: "m", Texts: []string{text}, Size: 2})
				if e, failed := errors.AsType[*llm.Error](err); failed != (c.cut && watched) || failed && (e.Class != llm.ClassContextLength || vectors.Vectors != nil) {
					t.Errorf("vectors: %v", err)
				}
			}
		})
	}
}

// TestTheKeyIsNotTheNameOfACall: a server may echo the key.
func TestTheKeyIsNotTheNameOfACall(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusTeapot} {
		cl, _ := client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Request-Id", "of "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`)
		}))
		out, err := cl.Complete(t.Context(), full())
		id := out.RequestID
		if e, ok := errors.AsType[*llm.Error](err); ok {
			id = e.RequestID
		}
		if id != "of [redacted]" {
			t.Errorf("status %d: %q", status, id)
		}
	}
}
