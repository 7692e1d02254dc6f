package simtest

import (
	"compress/gzip"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
)

// Hostile gives a codec unusable answers of status 200. Each must become an [llm.ClassInvalidResponse], soon
// and without much memory.
func Hostile(t *testing.T, open Open) {
	t.Helper()
	const deep = 200_000 // encoding/json ends at 10,000
	for name, body := range map[string]string{
		"empty":                "",
		"null":                 "null",
		"nothing":              "{}",
		"list":                 "[]",
		"text":                 `"x"`,
		"number":               "1e999",
		"deep lists":           strings.Repeat("[", deep) + strings.Repeat("]", deep),
		"deep objects":         strings.Repeat(`{"error":`, deep) + "1" + strings.Repeat("}", deep),
		"broken off":           `{"choices":[{"message":{"content":"a`,
		"two answers":          "{} {}",
		"events":               "data: {}\n\ndata: [DONE]\n\n",
		"not UTF-8":            "\xff\xfe{\x00}\x00",
		"every member is null": `{"id":null,"type":null,"status":null,"choices":null,"output":null,"content":null,"error":null,"usage":null,"stop_reason":null,"stopReason":null,"model":null}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			unusable(t, open, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(body))
			}))
		})
	}
	t.Run("small as gzip", func(t *testing.T) {
		t.Parallel()
		unusable(t, open, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 64 { // MiB
				if _, err := z.Write(make([]byte, 1<<20)); err != nil {
					return // the client has seen enough
				}
			}
			_ = z.Close()
		}))
	})
}

func unusable(t *testing.T, open Open, h http.Handler) {
	t.Helper()
	server := Serve(t, h)
	out, err := open(t, server.URL, server.HTTP).Complete(t.Context(),
		llm.Request{Model: Model, Messages: []llm.Message{{Role: llm.User, Text: "x"}}})
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Class != llm.ClassInvalidResponse || out.Text != "" || len(err.Error()) > 300 {
		t.Errorf("%+v, %.300v", out, err)
	}
	if len(server.Sent()) != 1 {
		t.Errorf("%d requests", len(server.Sent()))
	}
}
