package httpapi

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// minCompressed is the smallest answer in bytes that is compressed. A smaller one fits into one packet of a network.
const minCompressed = 1400

// compressed returns a handler that compresses the JSON of the API by gzip for clients that accept it. It
// leaves events alone, which are flushed one by one.
//
// A request with a cookie is compressed only if the browser reports that a page of this service sends it.
// Otherwise a foreign page could send guesses with a person's session and learn secrets from the sizes of
// the answers (breachattack.com).
func compressed(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.MinSize(minCompressed),
		gzhttp.ContentTypes([]string{"application/json", "application/problem+json", "application/sarif+json"}))
	if err != nil {
		return nil, err
	}
	packing := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own := r.Header.Get("Cookie") == "" || r.Header.Get("Sec-Fetch-Site") == "same-origin"
		if r.Method == http.MethodGet && below(r.URL.Path, "/api") && own {
			packing(flushed{w}, r)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

// flushed is an answer that gzhttp can flush. gzhttp does not look for the writers behind Unwrap, so that events would stay in
// the buffer of the connection.
type flushed struct{ http.ResponseWriter }

// Flush implements [http.Flusher]. The next write returns the error of a connection that is lost.
func (f flushed) Flush() { _ = http.NewResponseController(f.ResponseWriter).Flush() }

// Unwrap returns the wrapped writer, for [http.ResponseController].
func (f flushed) Unwrap() http.ResponseWriter { return f.ResponseWriter }
