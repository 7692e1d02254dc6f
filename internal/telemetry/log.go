// Package telemetry has structured logs that redact secrets, request ids, and Prometheus metrics that are
// built once and passed down.
//
// The callers decide what to log or count. The package has no product terms except metric labels, and no
// listeners.
package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/assay-dev/assay/internal/secret"
)

// LogOptions configure [NewLogger].
type LogOptions struct {
	Level  slog.Level
	Format string // "text", "json", or "" for text on a terminal and json elsewhere
}

// NewLogger returns a logger that redacts attributes whose key is on the denylist, and anything in strings,
// errors and URLs that looks like a secret (see [secret.Scrub]). It adds the context's request id to each
// record. It is safe for concurrent use.
func NewLogger(w io.Writer, o LogOptions) *slog.Logger {
	options := &slog.HandlerOptions{Level: o.Level, ReplaceAttr: redact}
	if o.Format == "text" || o.Format == "" && isTerminal(w) {
		return slog.New(&handler{slog.NewTextHandler(w, options)})
	}
	return slog.New(&handler{slog.NewJSONHandler(w, options)})
}

// Discard returns a logger that drops everything.
func Discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// denied are words that make an attribute's key suspicious. A key is denied if one of its words (split at
// case and punctuation) is listed.
var denied = map[string]bool{
	"authorization": true, "cookie": true, "cookies": true, "credential": true, "credentials": true, "passphrase": true,
	"password": true, "passwd": true, "pwd": true, "secret": true, "secrets": true, "signature": true, "token": true,
	"apikey": true, "privatekey": true, "dsn": true, "csrf": true,
}

// deniedPairs are pairs of words that are suspicious only together.
var deniedPairs = map[string]bool{"api key": true, "private key": true, "instance key": true, "access key": true,
	"database url": true, "kv url": true}

// deniedKey reports whether values under the key are never logged.
func deniedKey(key string) bool {
	words := splitWords(key)
	for i, w := range words {
		if denied[w] || i > 0 && deniedPairs[words[i-1]+" "+w] {
			return true
		}
	}
	return false
}

// splitWords splits "apiKey", "api_key" and "X-Api-Key" into words in lower case.
func splitWords(key string) []string {
	var b strings.Builder
	lowerBefore := false
	for _, r := range key {
		upper := r >= 'A' && r <= 'Z'
		switch {
		case upper && lowerBefore:
			b.WriteByte(' ')
			b.WriteRune(r + 'a' - 'A')
		case upper:
			b.WriteRune(r + 'a' - 'A')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
		lowerBefore = r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
	}
	return strings.Fields(b.String())
}

// redact implements slog's ReplaceAttr for every attribute of every group. A denied group name hides the
// whole group.
func redact(groups []string, a slog.Attr) slog.Attr {
	v := a.Value
	if canHide(v) && (deniedKey(a.Key) || slices.ContainsFunc(groups, deniedKey)) {
		return slog.String(a.Key, secret.Redacted)
	}
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, secret.Scrub(v.String()))
	case slog.KindAny:
		return slog.Attr{Key: a.Key, Value: redactAny(v.Any())}
	default:
		return a
	}
}

// canHide reports whether a denied key hides this value. Numbers and booleans under a key such as "token
// count" are not secrets.
func canHide(v slog.Value) bool {
	switch v.Kind() {
	case slog.KindInt64, slog.KindUint64, slog.KindFloat64, slog.KindBool, slog.KindDuration, slog.KindTime:
		return false
	case slog.KindString:
		return v.String() != ""
	default:
		return true
	}
}

// redactAny returns scrubbed text for errors, and only the type for values that could have a secret in a
// field. Log structs as separate attributes instead.
func redactAny(v any) slog.Value {
	if rv := reflect.ValueOf(v); rv.Kind() == reflect.Pointer && rv.IsNil() {
		return slog.StringValue("<nil>") // methods of a nil pointer may panic
	}
	switch x := v.(type) {
	case nil:
		return slog.AnyValue(nil)
	case *slog.Source:
		return slog.AnyValue(x)
	case error:
		return slog.StringValue(secret.Scrub(errorText(x)))
	case interface{ String() string }:
		return slog.StringValue(secret.Scrub(x.String()))
	case []byte:
		return slog.StringValue("[bytes]")
	case []string:
		out := make([]string, len(x))
		for i, s := range x {
			out[i] = secret.Scrub(s)
		}
		return slog.AnyValue(out)
	}
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.String:
		return slog.StringValue(secret.Scrub(rv.String()))
	case reflect.Struct, reflect.Pointer, reflect.Map, reflect.Interface, reflect.Slice, reflect.Array, reflect.Func, reflect.Chan:
		return slog.StringValue("[" + rv.Type().String() + "]")
	default:
		return slog.AnyValue(v)
	}
}

// errorText returns an error's text without the part that it excludes from logs, such as the answer of an
// external service.
func errorText(err error) string {
	text := err.Error()
	if p, ok := errors.AsType[interface {
		error
		Unlogged() string
	}](err); ok && p.Unlogged() != "" {
		text = strings.ReplaceAll(text, p.Unlogged(), "[not logged]")
	}
	return text
}

// handler adds the request id and scrubs the message.
type handler struct{ next slog.Handler }

// Enabled implements slog.Handler.
func (h *handler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	r.Message = secret.Scrub(r.Message)
	if id := RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("requestId", id))
	}
	return h.next.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(as []slog.Attr) slog.Handler { return &handler{h.next.WithAttrs(as)} }

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler { return &handler{h.next.WithGroup(name)} }
