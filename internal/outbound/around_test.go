package outbound

import (
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Headers, early hints and trailers are bounded too, with both versions of HTTP.
func TestHeadersAndTrailersAreBounded(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("a", 4<<10)
	for name, answer := range map[string]http.HandlerFunc{
		"headers": func(w http.ResponseWriter, _ *http.Request) {
			for n := range 100 {
				w.Header().Set(fmt.Sprint("X-", n), line)
			}
		},
		"notes before the answer": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", line)
			for n := 0; n < 10_000 && r.Context().Err() == nil; n++ {
				w.WriteHeader(http.StatusEarlyHints)
			}
		},
		"trailers": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "x")
			for n := range 100 {
				w.Header().Set(fmt.Sprint(http.TrailerPrefix, "X-", n), line)
			}
		},
	} {
		for _, two := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", two), func(t *testing.T) {
				t.Parallel()
				s := httptest.NewUnstartedServer(answer)
				s.EnableHTTP2 = two
				s.StartTLS()
				t.Cleanup(s.Close)
				roots := x509.NewCertPool()
				roots.AddCert(s.Certificate())
				f := New(Policy{LoopbackPorts: []int{s.Listener.Addr().(*net.TCPAddr).Port}, RootCAs: roots})
				t.Cleanup(f.Close)
				resp, err := f.Client(Purpose{Name: "x", Timeout: time.Minute}).Get(s.URL)
				if err != nil {
					return
				}
				defer func() { _ = resp.Body.Close() }()
				if two != (resp.ProtoMajor == 2) {
					t.Fatalf("the answer is in %s", resp.Proto)
				}
				_, err = io.ReadAll(resp.Body)
				size := 0
				for _, h := range []http.Header{resp.Header, resp.Trailer} {
					for name, values := range h {
						size += len(name) + len(strings.Join(values, ""))
					}
				}
				if err == nil && size > 256<<10 {
					t.Errorf("%d bytes are outside the body", size)
				}
			})
		}
	}
}
