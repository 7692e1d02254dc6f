package bedrock_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
)

// Embedded texts are counted even if a later text fails.
func TestUsageOfVectorsBeforeAnError(t *testing.T) {
	t.Parallel()
	good := `{"embedding":[` + strings.TrimSuffix(strings.Repeat("0.5,", 1024), ",") + `],"inputTextTokenCount":7}`
	for name, tc := range map[string]struct {
		status int
		body   string
		want   int64
	}{
		"refused":         {http.StatusTooManyRequests, `{"message":"wait"}`, 7},
		"no vector":       {http.StatusOK, `[]`, 7},
		"another length":  {http.StatusOK, `{"embedding":[1],"inputTextTokenCount":5}`, 12}, // this vector was computed too
		"not an answer":   {http.StatusOK, `hello`, 7},
		"internal error":  {http.StatusInternalServerError, ``, 7},
		"redirected away": {http.StatusFound, ``, 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if n.Add(1) == 1 {
					_, _ = w.Write([]byte(good))
					return
				}
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			}))
			t.Cleanup(server.Close)
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			out, err := open(t, server.URL, client).Embed(t.Context(), llm.EmbedRequest{Model: "amazon.titan-embed-text-v2:0", Texts: []string{"a", "b"}, Size: 1024})
			if err == nil || out.Vectors != nil || out.Usage.InputTokens != tc.want || out.Model == "" {
				t.Errorf("%v: %d vectors of %q, usage %+v, want %d tokens", err, len(out.Vectors), out.Model, out.Usage, tc.want)
			}
		})
	}
}
