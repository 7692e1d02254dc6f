package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/sandbox"
)

// ChildWork is the name of [Serve] among the kinds of work of a child process.
const ChildWork = "check"

// childRequest is a request of the parent to a child.
type childRequest struct {
	Files   int // number of messages with a *diff.File that follow for Run; 0: search Text for secrets
	Options Options
	Path    string
	Text    []byte
}

// fileContent answers a child that asked for a file.
type fileContent struct {
	Bytes  []byte
	Absent bool
}

// childMessage is a message of a child: the file that it examines, the file that it needs, or one piece of its
// results. Each piece is a separate message, because a list of many empty pieces would be a message of few
// bytes and take all memory of the parent.
type childMessage struct {
	Looking  int // index of the file, from 1
	Needs    *fileRequest
	Finding  *domain.Finding
	Value    *hiddenValue
	Secret   *plainSecret
	Left     *skippedFile
	Rule     *skippedRule
	Done     *requestEnd // ends an order
	Switched *switchedFile
}

type fileRequest struct {
	Side domain.Side
	Path string
}

// hiddenValue is the value of a secret with its replacement. Values go through the pipe in the clear, because
// parent and child are one program and nothing else reads the pipe.
type hiddenValue struct{ Value, Mark string }

// skippedFile is a file that was not examined, with the reason.
type skippedFile struct {
	Path, Why string
	Withheld  bool // withheld from models; else unread
}

// skippedRule is a rule that was not matched against the whole change, with the reason.
type skippedRule struct{ ID, Why string }

// switchedFile has the places of one file in [Result.Switches].
type switchedFile struct {
	Path   string
	Places []string
}

type requestEnd struct {
	Cut int // as in [Result]
}

// childResult is the result of a child for an order.
type childResult struct {
	Findings []domain.Finding
	Values   map[string]string // values of secrets with their replacements
	Secrets  []plainSecret

	Cut              int // this and the fields below as in [Result]
	Unread, Withheld map[string]string
	Unmatched        map[string]string
	Switches         map[string][]string
}

// send sends the results, piece by piece.
func (f *childResult) send(c *sandbox.Conn) (err error) {
	say := func(w childMessage) {
		if err == nil {
			err = c.Send(w)
		}
	}
	for i := range f.Findings {
		say(childMessage{Finding: &f.Findings[i]})
	}
	for value, mark := range f.Values {
		say(childMessage{Value: &hiddenValue{value, mark}})
	}
	for i := range f.Secrets {
		say(childMessage{Secret: &f.Secrets[i]})
	}
	for path, why := range f.Unread {
		say(childMessage{Left: &skippedFile{path, why, false}})
	}
	for path, why := range f.Withheld {
		say(childMessage{Left: &skippedFile{path, why, true}})
	}
	for id, why := range f.Unmatched {
		say(childMessage{Rule: &skippedRule{id, why}})
	}
	for path, places := range f.Switches {
		say(childMessage{Switched: &switchedFile{path, places}})
	}
	say(childMessage{Done: &requestEnd{f.Cut}})
	return err
}

// Bounds of a child's messages for one order. They are far beyond the results of honest checks, so that
// only a child controlled by a hostile file exceeds them.
const (
	maxMessageBytes      = 64 << 20 // bytes
	maxMessages          = 100_000  // besides those of each file
	maxChildFindings     = 1000
	maxChildFindingBytes = 4 << 20
)

// listener receives the messages of a child for one order.
type listener struct {
	childResult
	child                    *sandbox.Child
	began, before, ofFinding int64 // bytes received at the start, before the message, and for findings
	words, most              int
}

func listen(child *sandbox.Child, files int) *listener {
	at := child.Received()
	return &listener{child: child, began: at, before: at, most: maxMessages + 100*files}
}

// receive takes a message. over is true for the last one. The error is a [*sandbox.Fault].
func (l *listener) receive(w childMessage) (over bool, err error) {
	now := l.child.Received()
	l.words++
	if w.Finding != nil {
		l.ofFinding += now - l.before
	}
	l.before = now
	if l.words > l.most || now-l.began > maxMessageBytes ||
		len(l.Findings) >= maxChildFindings && w.Finding != nil || l.ofFinding > maxChildFindingBytes {
		return false, &sandbox.Fault{Cause: sandbox.Output, State: "it says more than there can be to say"}
	}
	switch {
	case w.Finding != nil:
		l.Findings = append(l.Findings, *w.Finding)
	case w.Value != nil:
		put(&l.Values, w.Value.Value, w.Value.Mark)
	case w.Secret != nil:
		l.Secrets = append(l.Secrets, *w.Secret)
	case w.Left != nil && w.Left.Withheld:
		put(&l.Withheld, w.Left.Path, w.Left.Why)
	case w.Left != nil:
		put(&l.Unread, w.Left.Path, w.Left.Why)
	case w.Rule != nil:
		put(&l.Unmatched, w.Rule.ID, w.Rule.Why)
	case w.Switched != nil:
		if l.Switches == nil {
			l.Switches = map[string][]string{}
		}
		l.Switches[w.Switched.Path] = w.Switched.Places
	case w.Done != nil:
		l.Cut, over = w.Done.Cut, true
	}
	return over, nil
}

func put(m *map[string]string, key, value string) {
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
}

// plainSecret is a [Secret] on its way through the pipe.
type plainSecret struct {
	RuleID                  string
	First, Last, Start, End int
	Value                   []byte
}

// Serve is the work of a child process: it runs the checks on the files that the parent sends, and searches
// texts for secrets, until the parent closes the pipe.
func Serve(c *sandbox.Conn) error { return serve(c, func(string) {}) }

// serve calls look with every path before it does anything for it.
func serve(c *sandbox.Conn, look func(path string)) error {
	checker, err := New()
	if err != nil {
		return err
	}
	for {
		var o childRequest
		if err := c.Receive(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var answer *childResult
		if o.Files > 0 {
			answer, err = serveRun(c, checker, o, look)
		} else {
			look(o.Path)
			answer, err = serveScan(checker, o)
		}
		if err != nil {
			return err
		}
		if err := answer.send(c); err != nil {
			return err
		}
	}
}

func serveRun(c *sandbox.Conn, checker *Checker, o childRequest, look func(path string)) (*childResult, error) {
	set := &diff.Set{}
	at := map[*diff.File]int{}
	for i := range o.Files {
		f := &diff.File{}
		if err := c.Receive(f); err != nil {
			return nil, err
		}
		set.Files, at[f] = append(set.Files, f), i+1
	}
	var broken error
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctx = context.WithValue(ctx, lookingKey{}, func(f *diff.File) {
		if err := c.Send(childMessage{Looking: at[f]}); err != nil {
			broken = err
			cancel()
		}
		look(f.Path)
	})
	res, err := checker.Run(ctx, set, pipeSource{c}, o.Options)
	if err := errors.Join(broken, err); err != nil {
		return nil, err
	}
	return &childResult{Findings: res.Findings, Values: res.Redactor.values, Cut: res.Cut, Unread: res.Unread,
		Withheld: res.Withheld, Unmatched: res.Unmatched, Switches: res.Switches}, nil
}

func serveScan(checker *Checker, o childRequest) (*childResult, error) {
	secrets, err := checker.Scanner.scan(context.Background(), o.Path, string(o.Text))
	if err != nil {
		return nil, err
	}
	answer := &childResult{}
	for _, s := range secrets {
		answer.Secrets = append(answer.Secrets, plainSecret{s.RuleID, s.First, s.Last, s.Start, s.End, []byte(s.value)})
	}
	return answer, nil
}

// pipeSource reads files through the parent.
type pipeSource struct{ c *sandbox.Conn }

func (p pipeSource) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	if err := p.c.Send(childMessage{Needs: &fileRequest{side, path}}); err != nil {
		return nil, err
	}
	var got fileContent
	if err := p.c.Receive(&got); err != nil {
		return nil, fmt.Errorf("read a file through the parent: %w", err)
	}
	if got.Absent {
		return nil, fs.ErrNotExist
	}
	return got.Bytes, nil
}

type lookingKey struct{}

// reportFile reports the next file to the function in the context, if there is one.
func reportFile(ctx context.Context, f *diff.File) {
	if tell, ok := ctx.Value(lookingKey{}).(func(*diff.File)); ok {
		tell(f)
	}
}
