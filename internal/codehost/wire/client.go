package wire

import (
	"context"
	"net/http"
	"strings"
)

// Client sends the requests of an adapter without a library to an instance. It is safe for concurrent use once it is set up.
type Client struct {
	Instance
	Root      string      // address of the interface, without a slash at its end
	Authorize func(*Call) // sets the credential of a call
}

// Do sends a request as a call, and decodes its answer into out: unchanged into a *[]byte, else as JSON, and not at all if out is nil. An
// address that begins with a slash is below the root.
func (l *Client) Do(ctx context.Context, c *Call, r Request, out any) (http.Header, error) {
	l.Authorize(c)
	c.Key = l.Key
	if strings.HasPrefix(r.Address, "/") {
		r.Address = l.Root + r.Address
	}
	body, header, err := Do(ctx, c, l.Instance.Client, r, UserAgent)
	if err != nil || out == nil {
		return header, err
	}
	if raw, is := out.(*[]byte); is {
		*raw = body
		return header, nil
	}
	return header, Decode(c, body, out)
}

// Get reads a path.
func (l *Client) Get(ctx context.Context, op, path string, out any) error {
	_, err := l.Do(ctx, l.Read(op), Request{Method: http.MethodGet, Address: path}, out)
	return err
}

// Send sends a value to a path as one write: the gate counts it, and a lost answer is ambiguous. in may be nil for no body.
func (l *Client) Send(ctx context.Context, op, method, path string, in, out any) error {
	r := Request{Method: method, Address: path}
	if in != nil {
		r = JSON(method, path, in)
	}
	_, err := l.Do(ctx, l.Write(op), r, out)
	return err
}
