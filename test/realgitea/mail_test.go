package realgitea

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// maxMail bounds a mail that a sink accepts, in bytes.
const maxMail = 4 << 20

// sink is a mail server that counts its mails and delivers none.
type sink struct {
	port int

	mu    sync.Mutex
	mails map[string]map[string]int // of the bot, by address of the pull request and recipient
}

// newSink listens on loopback until the test ends.
func newSink(t *testing.T) *sink {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.OK(t, err)
	s := &sink{port: l.Addr().(*net.TCPAddr).Port, mails: map[string]map[string]int{}}
	var all sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[c] = true
			mu.Unlock()
			all.Go(func() {
				s.serve(c)
				_ = c.Close()
				mu.Lock()
				delete(open, c)
				mu.Unlock()
			})
		}
	})
	return s
}

// serve speaks the part of SMTP (RFC 5321) that a sender needs, until the sender disconnects.
func (s *sink) serve(c net.Conn) {
	r := textproto.NewReader(bufio.NewReader(c))
	say := func(text string) { _, _ = io.WriteString(c, text+"\r\n") }
	say("220 sink")
	var to []string
	for {
		line, err := r.ReadLine()
		if err != nil {
			return
		}
		word, _, _ := strings.Cut(strings.ToUpper(line), " ")
		switch {
		case word == "QUIT":
			say("221 bye")
			return
		case word == "MAIL", word == "RSET":
			to = nil
			say("250 ok")
		case word == "RCPT":
			_, address, _ := strings.Cut(line, "<")
			address, _, _ = strings.Cut(address, ">")
			to = append(to, address)
			say("250 ok")
		case word == "DATA":
			say("354 go on")
			m, err := mail.ReadMessage(io.LimitReader(r.DotReader(), maxMail))
			if err != nil {
				say("554 unreadable")
				return
			}
			_, _ = io.Copy(io.Discard, m.Body)
			s.take(m.Header, to)
			say("250 ok")
		default:
			say("250 sink")
		}
	}
}

// take counts a mail about an action of the bot.
func (s *sink) take(header mail.Header, to []string) {
	if header.Get("X-Gitea-Sender") != bot {
		return
	}
	at, _, _ := strings.Cut(header.Get("X-Gitea-Issue-Link"), "#")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mails[at] == nil {
		s.mails[at] = map[string]int{}
	}
	for _, address := range to {
		login, _, _ := strings.Cut(address, "@")
		s.mails[at][login]++
	}
}

// of returns how many mails each person got about a pull request.
func (s *sink) of(p pull) map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]int{}
	for at, n := range s.mails {
		if strings.HasSuffix(at, fmt.Sprintf("/%s/pulls/%d", p.Repo, p.Number)) {
			maps.Copy(out, n)
		}
	}
	return out
}
