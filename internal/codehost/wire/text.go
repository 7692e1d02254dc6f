package wire

import (
	"net/url"

	"github.com/assay-dev/assay/internal/clip"
)

// Words is [clip.Words].
func Words(s string, n int) string { return clip.Words(s, n) }

// Link returns an address for people. It returns "" if the address is longer than browsers take, is not an address of
// the web, or has a user name or password.
func Link(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > maxLink || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return s
}

const maxLink = 2000 // bytes

// OneLine is [clip.OneLine].
func OneLine(s string, n int) string { return clip.OneLine(s, n) }
