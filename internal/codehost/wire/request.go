package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
)

// Request is one request of an adapter without a library.
type Request struct {
	Method, Address string
	Type            string // of Body; "" without a body
	Body            []byte
}

// JSON returns a request with a value as its body. It panics if the value cannot be encoded.
func JSON(method, address string, v any) Request {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return Request{Method: method, Address: address, Type: "application/json", Body: body}
}

// Do sends a request as the call c, and returns the body unchanged and the headers of the success. The transport bounds the body.
func Do(ctx context.Context, c *Call, client *http.Client, r Request, userAgent string) (body []byte, header http.Header, err error) {
	err = Run(ctx, c, func(ctx context.Context) error {
		var in io.Reader
		if r.Type != "" {
			in = bytes.NewReader(r.Body)
		}
		req, err := http.NewRequestWithContext(ctx, r.Method, r.Address, in)
		if err != nil {
			return err
		}
		req.Header.Set("User-Agent", userAgent)
		if r.Type != "" {
			req.Header.Set("Content-Type", r.Type)
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		header = resp.Header
		body, err = ReadWhole(resp)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return body, header, nil
}

// Decode decodes the JSON of the answer to a call. The error is ambiguous if the request may have had an effect.
func Decode(c *Call, body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return Unexpected(c, "the answer is not what the API describes")
	}
	return nil
}

// Unexpected returns the error for a success without the expected content.
func Unexpected(c *Call, message string) error {
	e := &codehost.Error{Class: codehost.ClassUnavailable, Op: c.Op, Message: message}
	if c.Effect {
		e.Class = codehost.ClassAmbiguous
	}
	return e
}

// SameOrigin returns the address that a host names in an answer, as that of a next page, if it is below base. Otherwise it returns
// false, because the request carries our credential. It resolves a relative address against base.
func SameOrigin(base, address string) (string, bool) {
	b, err := url.Parse(base)
	if err != nil {
		return "", false
	}
	u, err := b.Parse(address)
	if err != nil || u.Scheme != b.Scheme || u.Host != b.Host || u.User != nil || strings.Contains(u.Path, "/../") ||
		!strings.HasPrefix(u.Path, strings.TrimRight(b.Path, "/")+"/") {
		return "", false
	}
	u.Fragment = ""
	return u.String(), true
}
