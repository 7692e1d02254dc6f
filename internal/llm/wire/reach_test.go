package wire_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// failing is a network on which every request fails with one error.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// unusedAddress returns an address without a listener.
func unusedAddress(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	return server.URL
}

// Errors that an administrator can fix are named in assay's own words.
func TestWhyAnEndpointIsNotReached(t *testing.T) {
	t.Parallel()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(secure.Certificate())
	client := func(c *tls.Config) *http.Client { return &http.Client{Transport: &http.Transport{TLSClientConfig: c}} }
	after := secure.Certificate().NotAfter.AddDate(1, 0, 0)
	for name, tc := range map[string]struct {
		base   string
		client *http.Client
		says   string
	}{
		"unknown authority": {secure.URL, client(nil), "its authority is not known here; an operator can add it (ASSAY_OUTBOUND_CA_FILE)"},
		"another host name": {secure.URL, client(&tls.Config{RootCAs: trusted, ServerName: "models.example.org"}), "it is for another host name"},
		"expired":           {secure.URL, client(&tls.Config{RootCAs: trusted, Time: func() time.Time { return after }}), "it has expired, or is not valid yet"},
		"http behind https": {"https" + strings.TrimPrefix(plain.URL, "http"), client(nil), "it does not speak https"},
		"no such host":      {"https://h.example", &http.Client{Transport: failing{&net.DNSError{Err: "no such host", Name: "h.example", IsNotFound: true}}}, "its host name does not resolve here"},
		"no listener":       {unusedAddress(t), client(nil), "its port takes no connections; nothing may be running there"},
		"network is closed": {"https://h.example", &http.Client{Transport: failing{&net.OpError{Op: "dial", Err: net.ErrClosed}}}, "could not be reached."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := conn(t, nil, func(cfg *wire.Config) { cfg.BaseURL, cfg.HTTP = tc.base, tc.client })
			_, err := c.Post(t.Context(), "/x", 1)
			if !isClass(err, llm.ClassRetryable) || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "127.0.0.1") {
				t.Errorf("%v, want %q", err, tc.says)
			}
		})
	}
}
