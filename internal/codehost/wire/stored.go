package wire

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/assay-dev/assay/internal/codehost"
)

// FetchStored passes the content at an address of a host's storage to read, at most [codehost.MaxLogRead] bytes and one more, without a
// credential and with a budget key beside the host's. base is an address of the host: the storage has https, or the scheme of base. The
// address grants access like a password, so errors do not contain it.
func FetchStored(ctx context.Context, transport http.RoundTripper, key, op, address, base string, read func(io.Reader) error) error {
	where, err := url.Parse(address)
	host, baseErr := url.Parse(base)
	if err != nil || baseErr != nil || where.Host == "" || where.User != nil || where.Scheme != "https" && where.Scheme != host.Scheme {
		return &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the host names no address of the log"}
	}
	c := &Call{Op: op, Key: key + "|logs", Authorize: func(context.Context) (string, error) { return "", nil },
		Bytes: codehost.MaxLogRead, Read: read}
	err = Run(ctx, c, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), nil)
		if err != nil {
			return err
		}
		req.Header.Set("User-Agent", UserAgent)
		_, err = transport.RoundTrip(req)
		return err
	})
	if e, ok := err.(*codehost.Error); ok && e.Class == codehost.ClassForbidden { // the log's address refused, not the host
		late := *e
		late.Class = codehost.ClassUnavailable
		return &late
	}
	return err
}
