package instance

import (
	"context"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/field"
)

// BaseURL returns the public origin in effect, without a slash at the end.
func (s *Service) BaseURL(ctx context.Context) string { return s.Live(ctx).PublicBaseURL }

// KnownBaseURL returns the public origin as of the last read of the settings, without asking the database;
// "" before the first read.
func (s *Service) KnownBaseURL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live.settings.PublicBaseURL
}

// SecureSince returns when a change of the settings moved the public base URL to one with https-only
// cookies, in microseconds of the database's clock. Earlier sessions may have a cookie of the older form.
// It returns 0 if there was no such change, or if the process configuration sets the URL.
func (s *Service) SecureSince(ctx context.Context) int64 {
	if s.Process.Fixed["/publicBaseUrl"] {
		return 0
	}
	return s.Live(ctx).secureSince
}

// Secure reports whether cookies of a public base URL are for https only. They are, except on plain http of
// this machine, which is for trying the service out.
func Secure(base string) bool {
	u, err := url.Parse(base)
	return err != nil || u.Scheme != "http" || !loopback(u.Hostname())
}

// publicOrigin parses a public base URL, which must be an origin with https, except on this machine.
func publicOrigin(raw string, proxyTLS bool) (origin, problem string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Hostname() == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery ||
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
