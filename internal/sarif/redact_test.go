package sarif_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/testkit"
)

// scan knows one secret.
var scan = sarif.Scan{MayHold: func(s string) bool { return strings.Contains(s, "tok-") },
	Clean: func(_ context.Context, s string) string { return strings.ReplaceAll(s, "tok-12345678", "[redacted]") }}

// A secret leaves every text and name of a document. Snippets leave it as a whole, because they have the bare value.
func TestRedactRemovesSecrets(t *testing.T) {
	t.Parallel()
	got, err := sarif.Redact(context.Background(), []byte(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"gitleaks <tok-12345678>"}},`+
		`"artifacts":[{"location":{"uri":"a.go"},"contents":{"text":"bare"}}],"properties":{"x tok-12345678":1e2,"snippet":"a text"},`+
		`"results":[{"message":{"text":"the value tok-12345678"},"locations":[{"physicalLocation":{"region":{"snippet":{"text":"bare"},`+
		`"startLine":3,"message":null}}}],"ok":true}]}]}`), sarif.Limits{}, scan)
	testkit.OK(t, err)
	testkit.Equal(t, "document", string(got), `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"gitleaks <[redacted]>"}},`+
		`"artifacts":[{"location":{"uri":"a.go"}}],"properties":{"x [redacted]":1e2,"snippet":"a text"},`+
		`"results":[{"message":{"text":"the value [redacted]"},"locations":[{"physicalLocation":{"region":{`+
		`"startLine":3,"message":null}}}],"ok":true}]}]}`)
}

// Documents of real tools have the same results after the redaction.
func TestRedactKeepsResults(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.sarif")
	testkit.OK(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		testkit.OK(t, err)
		clean, err := sarif.Redact(context.Background(), text, sarif.Limits{}, scan)
		testkit.OK(t, err)
		before, err := sarif.Read(context.Background(), bytes.NewReader(text), sarif.Limits{})
		testkit.OK(t, err)
		after, err := sarif.Read(context.Background(), bytes.NewReader(clean), sarif.Limits{})
		testkit.OK(t, err)
		if !reflect.DeepEqual(before, after) || len(after.Runs) == 0 {
			t.Errorf("%s: the redaction changes its results", file)
		}
	}
}

func TestRedactHasBounds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want error
	}{
		"deep":     {strings.Repeat("[", 65) + strings.Repeat("]", 65), sarif.ErrTooLarge},
		"long":     {`"` + strings.Repeat("a", 2000) + `"`, sarif.ErrTooLarge},
		"cut off":  {`{"a":[1`, sarif.ErrInvalid},
		"NaN":      {`{"a":NaN}`, sarif.ErrInvalid},
		"two":      {`{} {}`, sarif.ErrInvalid},
		"no value": {`{"a":}`, sarif.ErrInvalid},
	} {
		if _, err := sarif.Redact(context.Background(), []byte(tt.text), sarif.Limits{Bytes: 1000}, scan); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := sarif.Redact(ctx, []byte(`{}`), sarif.Limits{}, scan); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}

// The result is JSON, for every text that is JSON.
func FuzzRedact(f *testing.F) {
	f.Add([]byte(`{"a":[{"snippet":{"x":1},"b":"tok-12345678"},1e5,null,true,"\ud800"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		clean, err := sarif.Redact(context.Background(), text, sarif.Limits{Bytes: 1 << 16}, scan)
		if err == nil && (!json.Valid(clean) || bytes.Contains(clean, []byte("tok-12345678"))) {
			t.Errorf("%q became %q", text, clean)
		}
	})
}

// A scan gets many texts at once, so that a large document needs few scans.
func TestRedactScansInBatches(t *testing.T) {
	t.Parallel()
	const results, batch = 20_000, 16 << 10
	text := "the token of the request is not checked in function number "
	var b strings.Builder
	b.WriteString(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"big"}},"results":[`)
	for i := range results {
		fmt.Fprintf(&b, `{"ruleId":"R","message":{"text":"%s%d"}},`, text, i)
	}
	b.WriteString(`{"message":{"text":"the last one"}}]}]}`)
	scans := 0
	_, err := sarif.Redact(context.Background(), []byte(b.String()), sarif.Limits{}, sarif.Scan{MayHold: func(string) bool { return true }, Clean: func(_ context.Context, s string) string {
		scans++
		return s
	}})
	testkit.OK(t, err)
	if most := 2 * b.Len() / batch; scans > most {
		t.Errorf("%d scans, want at most %d", scans, most)
	}
}
