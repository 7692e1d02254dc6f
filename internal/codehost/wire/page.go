package wire

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
)

// PageWords describes a page for browsers, whose text does not help people.
const PageWords = "a page for browsers in place of an answer, as proxies send"

// IsPage reports whether an answer is a page for browsers, which APIs of hosts never send.
func IsPage(resp *http.Response) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && (kind == "text/html" || kind == "application/xhtml+xml")
}

// IsForeign reports whether a refusal comes from a system in front of the host. The host's own refusals are a
// JSON object or empty.
func IsForeign(a Answer) bool {
	body := bytes.TrimSpace(a.Body)
	return IsPage(a.Resp) || len(body) > 0 && body[0] != '{'
}

// Get requests an address as the call c and returns the body unchanged. The transport bounds it.
func Get(ctx context.Context, c *Call, client *http.Client, address, userAgent string) ([]byte, error) {
	body, _, err := Do(ctx, c, client, Request{Method: http.MethodGet, Address: address}, userAgent)
	return body, err
}

// heldBody is the body of an answer that a [Transport] has read.
type heldBody struct {
	*bytes.Reader
	all []byte
}

// Close implements [io.Closer].
func (*heldBody) Close() error { return nil }

// ReadWhole returns the whole body of an answer, without a copy if a [Transport] has read it. No byte may have
// been read before.
func ReadWhole(resp *http.Response) ([]byte, error) {
	if held, is := resp.Body.(*heldBody); is {
		return held.all, nil
	}
	return io.ReadAll(resp.Body)
}
