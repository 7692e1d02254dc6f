package host

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// RefUpdate is a change of a reference that a push requests, with full ids of commits.
type RefUpdate struct{ Before, After, Name string }

// GitPush lets an account push.
type GitPush struct {
	Declines func(RefUpdate) bool                   // as a hook of the host does
	Moved    func(context.Context, RefUpdate) error // called after the reference was moved, with GitMu
}

// servePush answers the request of a push that has the commits.
func (s *Server) servePush(w http.ResponseWriter, r *http.Request, rec *simapi.Request, rest string, x GitAccess) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxNegotiation))
	if err != nil {
		http.Error(w, "request too large", http.StatusRequestEntityTooLarge)
		return
	}
	rec.Write = true
	apply := func(string) *Reply { return s.receive(r, rec, body, rest, x) }
	if f := s.match(r, rec, nil); f != nil {
		s.Faults.serve(s.exchange(w, r, rec, apply), f)
		return
	}
	s.finish(w, r, rec, apply(""))
}

// receive passes a push to git, reports the moved references to the host, and records each as a write.
func (s *Server) receive(r *http.Request, rec *simapi.Request, body []byte, rest string, x GitAccess) *Reply {
	ctx := context.WithoutCancel(r.Context())
	updates, abilities := refUpdates(body)
	for _, u := range updates {
		if x.Push.Declines(u) {
			return declined(updates, abilities)
		}
	}
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	inner := r.Clone(ctx)
	inner.Body = io.NopCloser(bytes.NewReader(body))
	got := &capturedAnswer{header: http.Header{}, status: http.StatusOK}
	serveBackend(got, inner, x.Repo, rest, x.Actor)
	for _, u := range updates {
		if now, err := x.Repo.Resolve(ctx, strings.TrimPrefix(u.Name, "refs/")); err == nil && now == u.After {
			if err := x.Push.Moved(ctx, u); err != nil {
				return &Reply{Status: http.StatusInternalServerError, Body: []byte(err.Error())}
			}
			s.Recorder.Wrote(simapi.Write{AtUS: int64(s.NowMicros()), RequestSeq: rec.Seq, Actor: x.Actor, Kind: "ref", Verb: "update"})
		}
	}
	s.Touch()
	rep := &Reply{Status: got.status, Body: got.body.Bytes()}
	for name := range got.header {
		rep.Set(name, got.header.Get(name))
	}
	return rep
}

// refUpdates reads the changes that a push requests, and what the client understands (gitprotocol-pack, "Reference Update Request").
func refUpdates(body []byte) (list []RefUpdate, abilities string) {
	for len(body) >= 4 {
		n, err := strconv.ParseUint(string(body[:4]), 16, 16)
		if err != nil || n < 4 || int(n) > len(body) {
			break
		}
		line, after, _ := strings.Cut(strings.TrimSuffix(string(body[4:n]), "\n"), "\x00")
		if after != "" {
			abilities = after
		}
		if f := strings.Fields(line); len(f) == 3 {
			list = append(list, RefUpdate{Before: f[0], After: f[1], Name: f[2]})
		}
		body = body[n:]
	}
	return list, abilities
}

// declined is git's report of a push that a hook refuses.
func declined(updates []RefUpdate, abilities string) *Reply {
	packet := func(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }
	report := packet("unpack ok\n")
	for _, u := range updates {
		report += packet("ng " + u.Name + " pre-receive hook declined\n")
	}
	report += "0000"
	if strings.Contains(abilities, "side-band-64k") {
		report = packet("\x01"+report) + "0000"
	}
	return (&Reply{Status: http.StatusOK, Body: []byte(report)}).Set("Content-Type", "application/x-git-receive-pack-result")
}

// capturedAnswer keeps an answer.
type capturedAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (c *capturedAnswer) Header() http.Header { return c.header }

// WriteHeader implements [http.ResponseWriter].
func (c *capturedAnswer) WriteHeader(status int) { c.status = status }

// Write implements [http.ResponseWriter].
func (c *capturedAnswer) Write(b []byte) (int, error) { return c.body.Write(b) }
