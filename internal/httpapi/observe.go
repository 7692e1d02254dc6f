package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/telemetry"
)

// contentPolicy allows only the own style sheet and forms that post to this origin. The pages have no
// scripts.
const contentPolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; " +
	"frame-ancestors 'none'"

// requestNote collects facts about a request for its log lines.
type requestNote struct {
	method, route, user, tenant string

	log    *slog.Logger
	logged bool // the cause of the failure is logged
}

type noteKey struct{}

// noteOf returns the request's note, or a new unused one if the context has no note.
func noteOf(ctx context.Context) *requestNote {
	if n, ok := ctx.Value(noteKey{}).(*requestNote); ok {
		return n
	}
	return &requestNote{log: telemetry.Discard()}
}

// logDefect logs why a request failed through a defect of the service. Call it before the answer is written,
// so that the log line exists when the client has the answer.
func (n *requestNote) logDefect(ctx context.Context, err error) {
	n.logged = true
	n.log.ErrorContext(ctx, "a request failed", "error", err, "method", n.method, "route", n.route)
}

// observe is the outermost handler. It sets the request id and common headers, converts panics to problems,
// writes a log line, and records metrics by route. It never logs the query, which can contain a token.
func (s *server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		id := telemetry.AcceptRequestID(s.sentRequestID(r))
		n := &requestNote{method: r.Method, route: "none", log: s.Logger}
		ctx := context.WithValue(telemetry.WithRequestID(r.Context(), id), noteKey{}, n)
		r = r.WithContext(ctx)
		out := &answer{ResponseWriter: w, strict: s.strict}
		s.commonHeaders(w.Header(), id)
		defer func() {
			if v := recover(); v != nil {
				s.panicked(out, r, v)
			}
			s.logRequest(ctx, r, n, out, time.Since(began))
		}()
		next.ServeHTTP(out, r)
	})
}

func (s *server) commonHeaders(h http.Header, id string) {
	h.Set("X-Request-Id", id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// With no-referrer, browsers would send "Origin: null" with our own forms (Fetch standard, Origin header).
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("Cache-Control", "no-store")
}

// strict reports whether browsers must use https, according to the public base URL. It uses the last value
// read, so that no request waits; reading a request's cookies refreshes the value.
func (s *server) strict() bool {
	base := s.Instance.KnownBaseURL()
	if base == "" {
		base = s.origin.String()
	}
	return strings.HasPrefix(base, "https://")
}

func (s *server) panicked(w *answer, r *http.Request, v any) {
	if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(v) // net/http ends the connection without a log line
	}
	noteOf(r.Context()).logged = true
	s.Logger.ErrorContext(r.Context(), "a handler panicked", "panic", v, "method", r.Method, "route", noteOf(r.Context()).route,
		"stack", string(debug.Stack()))
	if w.status != 0 {
		panic(http.ErrAbortHandler) // part of the answer is sent: abort the connection
	}
	s.refuse(w, r, errs.New(errs.Internal, "internal", ""))
}

func (s *server) logRequest(ctx context.Context, r *http.Request, n *requestNote, w *answer, took time.Duration) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.status == http.StatusInternalServerError && !n.logged && n.route != codehostWebhook { // the handler of deliveries logs its failures
		n.logDefect(ctx, errors.New("nothing said why"))
	}
	if s.Metrics != nil {
		s.Metrics.HTTPRequest(n.route, r.Method, w.status, took)
	}
	level := slog.LevelInfo
	if n.route == "/healthz" || n.route == "/readyz" || strings.HasPrefix(n.route, "/assets/") {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{slog.String("method", r.Method), slog.String("route", n.route), slog.Int("status", w.status),
		slog.Int64("bytes", w.bytes), slog.Duration("took", took), slog.String("address", s.address(r))}
	if n.user != "" {
		attrs = append(attrs, slog.String("user", n.user))
	}
	if n.tenant != "" {
		attrs = append(attrs, slog.String("tenant", n.tenant))
	}
	s.Logger.LogAttrs(ctx, level, "request", attrs...)
}

// answer records status and size. It decides on the Strict-Transport-Security header when the answer
// begins, because the request can have changed the base URL.
type answer struct {
	http.ResponseWriter
	strict func() bool
	status int
	bytes  int64
}

// begin records the status when the answer begins.
func (a *answer) begin(status int) {
	if a.status != 0 {
		return
	}
	if a.status = status; a.strict() {
		a.Header().Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	if status >= 200 {
		a.begin(status)
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(b []byte) (int, error) {
	a.begin(http.StatusOK)
	n, err := a.ResponseWriter.Write(b)
	a.bytes += int64(n)
	return n, err
}

// Unwrap returns the wrapped writer, for [http.ResponseController].
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// dispatch routes a request. Requests without a route get a problem if they come from a program, and a page
// if they come from a person.
func (s *server) dispatch(w http.ResponseWriter, r *http.Request) {
	_, pattern := s.mux.Handler(r)
	if pattern != "" && path.Clean(r.URL.Path) == r.URL.Path && r.Method != http.MethodConnect {
		s.mux.ServeHTTP(w, r)
		return
	}
	if err := s.limits.address.take(s.address(r)); err != nil {
		s.refuse(w, r, err)
		return
	}
	if pattern == "" && path.Clean(r.URL.Path) == r.URL.Path {
		if allow := s.allow(r); allow != "" {
			refuseMethod(w, allow)
			return
		}
	}
	forProgram := isProgramPath(r.URL.Path) || below(r.URL.Path, "/auth") || below(r.URL.Path, "/setup")
	if !forProgram && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		s.failPage(w, r, errs.Absent())
		return
	}
	s.refuse(w, r, errs.Absent())
}

// isProgramPath reports whether only programs use a path. People open the other paths, too.
func isProgramPath(path string) bool {
	return slices.ContainsFunc([]string{"/api", "/webhooks", "/mcp", "/healthz", "/readyz", "/version", "/openapi.json"},
		func(root string) bool { return below(path, root) })
}

func below(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// allow lists the methods of the request's path for the header Allow. It returns "" if there is no route
// for the path.
func (s *server) allow(r *http.Request) string {
	var out []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		asked := *r
		asked.Method = method
		_, pattern := s.mux.Handler(&asked)
		if rt, known := s.index[pattern]; known && rt.answers(method) {
			out = append(out, method)
		}
	}
	return strings.Join(out, ", ")
}
