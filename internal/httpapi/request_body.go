package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
)

// bodyTime is the time limit for a request's body to arrive (design choice).
const bodyTime = 5 * time.Second

// mergePatch is the media type of a JSON merge patch (RFC 7396, section 4).
const mergePatch = "application/merge-patch+json"

// takeBody reads the whole JSON body of a request before decoding, so that transfer errors differ from
// content errors, and replaces r.Body by the data. It only checks the announced size if the operation has no JSON body.
func (s *server) takeBody(w http.ResponseWriter, r *http.Request, op *huma.Operation, most int64) error {
	if r.ContentLength > most {
		return tooLarge()
	}
	if op == nil || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return nil
	}
	if r.ContentLength != 0 {
		if err := checkKind(r.Header, op.RequestBody.Content); err != nil {
			return err
		}
	}
	// Not every writer supports deadlines; the end of the body clears it.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return unreadableBody(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	return refuseNulls(op, data)
}

func tooLarge() *errs.Error {
	return errs.New(errs.TooLarge, "too_large", "The body is larger than this route allows.")
}

// unreadableBody converts the error of an incomplete body.
func unreadableBody(err error) error {
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return tooLarge()
	}
	if late, is := errors.AsType[net.Error](err); is && late.Timeout() {
		return errs.New(errs.Malformed, "too_slow", "The body did not arrive in time.")
	}
	return errs.Wrap(err, errs.Malformed, "unreadable_body", "The body did not arrive whole: it was cut off, or its chunks are not "+
		"as HTTP has them.")
}

// checkKind refuses a body with another media type or character set than described, or with compression.
func checkKind(h http.Header, content map[string]*huma.MediaType) error {
	for _, coding := range strings.Split(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
			return errs.New(errs.Unsupported, "unsupported_encoding", "The body must be sent as it is, without the header Content-Encoding.")
		}
	}
	kind, params, err := mime.ParseMediaType(strings.Join(h.Values("Content-Type"), ","))
	charset, said := params["charset"]
	if err != nil || content[kind] == nil || said && !strings.EqualFold(charset, "utf-8") {
		return errs.New(errs.Unsupported, "unsupported_media_type", "The header Content-Type must say that the body is "+
			"application/json, in UTF-8.")
	}
	return nil
}
