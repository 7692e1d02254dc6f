package mcpbridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
)

// answers writes what an answer of the service holds: one message, or a stream of them.
func (b *Bridge) answers(e envelope, resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // one that cannot be read is none
	switch {
	case resp.StatusCode == http.StatusOK && kind == "text/event-stream":
		return b.events(resp.Body)
	case resp.StatusCode != http.StatusOK && kind != "application/json":
		return refusal(resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxAnswer+1))
	switch {
	case err != nil:
		return errors.New("the answer of the service broke off")
	case len(body) > MaxAnswer:
		return fmt.Errorf("the answer of the service has more than %d MiB", MaxAnswer>>20)
	}
	var r struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(body, &r) // one of another shape is no message
	if r.JSONRPC == "" || resp.StatusCode != http.StatusOK && string(r.ID) != string(e.ID) {
		return refusal(resp)
	}
	return b.write(body)
}

// events writes the messages of a stream of events (WHATWG HTML, 9.2.6). Of an event
// only its data counts.
func (b *Bridge) events(from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 64<<10), MaxAnswer)
	var data bytes.Buffer
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			if data.Len() > 0 {
				if err := b.write(data.Bytes()); err != nil {
					return err
				}
			}
			data.Reset()
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) != "data" {
			continue
		}
		if data.Len()+len(value) > MaxAnswer {
			return fmt.Errorf("an event of the service has more than %d MiB", MaxAnswer>>20)
		}
		if data.Len() > 0 {
			data.WriteByte('\n')
		}
		data.Write(bytes.TrimPrefix(value, []byte(" ")))
	}
	if err := lines.Err(); err != nil {
		return errors.New("the answer of the service broke off, or is too large")
	}
	return nil
}

// refusal says why the service did not answer, and what to do about it.
func refusal(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		return errors.New("the service refuses the token: it is wrong, has ended or was revoked, or the endpoint is off for the tenant. Make a new one in the console, under Access for programs")
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return errors.New("there is no /mcp at this address: --server takes the address of the service, such as https://assay.example.com")
	case http.StatusTooManyRequests:
		wait := ""
		if after := resp.Header.Get("Retry-After"); after != "" && len(after) < 10 && strings.Trim(after, "0123456789") == "" {
			wait = " in " + after + " seconds"
		}
		return errors.New("the service has had too many requests of this token: try again" + wait)
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return errors.New("the service sends to another address, which is not followed with a token: give that address to --server")
	}
	return fmt.Errorf("the service answers with status %d", resp.StatusCode)
}

// cause is the reason of a failed request, without its address.
func cause(err error) string {
	if failed, is := errors.AsType[*url.Error](err); is {
		err = failed.Err
	}
	return clip.Runes(err.Error(), 300, "…")
}
