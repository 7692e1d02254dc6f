package wire

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
)

// PageWords says what a page for browsers is, of which nothing is worth repeating.
const PageWords = "a page for browsers in place of an answer, as proxies send"

// IsPage reports an answer for browsers, which interfaces of hosts do not give.
func IsPage(resp *http.Response) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && (kind == "text/html" || kind == "application/xhtml+xml")
}

// Foreign reports a refusal that is not of a host whose refusals are a JSON object, or
// nothing at all: something in between has answered.
func Foreign(a Answer) bool {
	body := bytes.TrimSpace(a.Body)
	return IsPage(a.Resp) || len(body) > 0 && body[0] != '{'
}

// Get asks for an address as a call that the caller made, and returns the body as it is,
// which the transport bounds.
func Get(ctx context.Context, c *Call, client *http.Client, address, userAgent string) (body []byte, err error) {
	err = Run(ctx, c, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		req.Header.Set("User-Agent", userAgent)
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		body, err = Whole(resp)
		return err
	})
	if err != nil {
		return nil, err
	}
	return body, nil
}

// heldBody is the body of an answer that a [Transport] has read already.
type heldBody struct {
	*bytes.Reader
	all []byte
}

// Close implements [io.Closer].
func (*heldBody) Close() error { return nil }

// Whole returns the body of an answer without a copy where a [Transport] has read it. Nothing of it may have been read.
func Whole(resp *http.Response) ([]byte, error) {
	if held, is := resp.Body.(*heldBody); is {
		return held.all, nil
	}
	return io.ReadAll(resp.Body)
}
