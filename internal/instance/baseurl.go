package instance

import (
	"context"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/field"
)

// BaseURL is the public origin in force, without a slash at the end.
func (s *Service) BaseURL(ctx context.Context) string { return s.Live(ctx).PublicBaseURL }

// KnownBaseURL is the public origin that was in force when the settings were
// read last, without asking the database; "" before that.
func (s *Service) KnownBaseURL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live.settings.PublicBaseURL
}

// SecureSince is when a change of the settings made the public base URL one
// whose cookies are for https only, in microseconds of the database's clock.
// Sessions that began earlier may have a cookie of the form before. 0: it was
// never changed so, or the process configuration sets it.
func (s *Service) SecureSince(ctx context.Context) int64 {
	if s.Process.Fixed["/publicBaseUrl"] {
		return 0
	}
	return s.Live(ctx).secureSince
}

// Secure reports whether cookies of a public base URL are for https only: they
// are not on plain http of this machine, which is for trying the service.
func Secure(base string) bool {
	u, err := url.Parse(base)
	return err != nil || u.Scheme != "http" || !loopback(u.Hostname())
}

// publicOrigin reads a public base URL: an origin, https off this machine.
func publicOrigin(raw string, proxyTLS bool) (origin, problem string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Hostname() == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery ||
		strings.Contains(raw, "#") || !field.Plain(raw) || strings.ContainsAny(u.Host, " <>\"'\\") {
		return "", "must be an origin, such as https://assay.example.com"
	}
	if u.Scheme == "http" && !proxyTLS && !loopback(u.Hostname()) {
		return "", "must be https; plain http is for this machine only"
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), ""
}

func loopback(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "::1"
}
