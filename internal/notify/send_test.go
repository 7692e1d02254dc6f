package notify

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
)

// hostile is foreign text with markup of each of the formats.
const hostile = "<!channel> @everyone **bold** [x](https://evil.example) <https://evil.example|y> `code`"

func TestBodies(t *testing.T) {
	t.Parallel()
	m := Message{ID: "msg_1", Event: "review.failed", Time: time.Unix(1700000000, 0), Title: hostile + strings.Repeat("é", 5000), Text: hostile + strings.Repeat("*é", 5000), Link: "https://assay.example.com/x", Data: map[string]any{"a": hostile}}
	for kind, check := range map[string]func(v map[string]any, raw string){
		"webhook": func(v map[string]any, _ string) {
			testkit.Equal(t, "type", v["type"], any("review.failed"))
			testkit.Equal(t, "timestamp", v["timestamp"], any("2023-11-14T22:13:20Z"))
		},
		"slack": func(v map[string]any, raw string) {
			if text := v["text"].(string); strings.Contains(text, "<!") || !strings.Contains(text, "&lt;!channel&gt;") || strings.Contains(raw, `"mrkdwn"`) {
				t.Errorf("slack: %s", text)
			}
		},
		"teams": func(_ map[string]any, raw string) {
			if strings.Contains(raw, "TextBlock\"") && !strings.Contains(raw, "RichTextBlock") || !strings.Contains(raw, "application/vnd.microsoft.card.adaptive") {
				t.Errorf("teams: %s", raw)
			}
		},
		"discord": func(v map[string]any, raw string) {
			embed := v["embeds"].([]any)[0].(map[string]any)
			title, description := embed["title"].(string), embed["description"].(string)
			if strings.Contains(title, "**bold") || utf8.RuneCountInString(title) > 256 || utf8.RuneCountInString(description) > 4096 || !strings.Contains(raw, `"allowed_mentions":{"parse":[]}`) {
				t.Errorf("discord: %s", title)
			}
		},
	} {
		raw, err := body(kind, m)
		testkit.OK(t, err)
		var v map[string]any
		testkit.OK(t, json.Unmarshal(raw, &v))
		check(v, string(raw))
		if !utf8.Valid(raw) || kind != "webhook" && len(raw) > 28<<10 {
			t.Errorf("%s: %d bytes", kind, len(raw))
		}
	}
}

func TestSign(t *testing.T) {
	t.Parallel()
	one, two := newSecret(), newSecret()
	h := http.Header{}
	testkit.OK(t, signHeader(h, "msg_1", time.Now(), []byte(`{"a":1}`), one, two))
	for _, s := range []secret.Secret{one, two} {
		hook, err := standardwebhooks.NewWebhook(s.Reveal())
		testkit.OK(t, err)
		testkit.OK(t, hook.Verify([]byte(`{"a":1}`), h))
		if hook.Verify([]byte(`{"a":2}`), h) == nil {
			t.Error("another body has the same signature")
		}
	}
	for name, bad := range map[string][]secret.Secret{"none": nil, "not base 64": {secret.New("whsec_%")}, "short": {secret.New("whsec_YQ==")}, "one of two": {one, secret.New("whsec_")}} {
		if signHeader(http.Header{}, "msg_1", time.Now(), nil, bad...) == nil {
			t.Errorf("%s: it signs", name)
		}
	}
}

func TestHintShowsLittle(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"https://hooks.slack.com/services/T000/B000/abcdefghijklmnop": "hooks.slack.com …mnop",
		"https://a.example.com/short":                                 "a.example.com",
		"https://a.example.com":                                       "a.example.com",
		"https://a.example.com:8443/?sig=0123456789012345678901":      "a.example.com:8443 …8901",
	} {
		testkit.Equal(t, target, targetHint(target), want)
	}
}

func FuzzAddresses(f *testing.F) {
	f.Add("a@example.com, b@example.com")
	f.Add("Mona <a@example.com>\r\nBcc: x@example.com")
	f.Fuzz(func(t *testing.T, target string) {
		all, ok := addresses(target)
		for _, a := range all {
			if ok && (strings.ContainsAny(a, "\r\n<>") || !strings.Contains(a, "@")) {
				t.Fatalf("%q has the address %q", target, a)
			}
		}
	})
}

// mailServer is a server with the part of SMTP that a message needs (RFC 5321, section 4.1).
type mailServer struct {
	net.Listener
	refuse string // a command that is refused
	mu     sync.Mutex
	said   []string
}

func newMailServer(t *testing.T, refuse string) *mailServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.OK(t, err)
	s := &mailServer{Listener: l, refuse: refuse}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.talk(c)
		}
	}()
	return s
}

func (s *mailServer) talk(c net.Conn) {
	defer func() { _ = c.Close() }()
	fmt.Fprint(c, "220 mail.example.com ready\r\n")
	data := false
	for in := bufio.NewScanner(c); in.Scan(); {
		line := in.Text()
		s.mu.Lock()
		s.said = append(s.said, line)
		s.mu.Unlock()
		switch {
		case data && line != ".":
		case data:
			data = false
			fmt.Fprint(c, "250 taken\r\n")
		case s.refuse != "" && strings.HasPrefix(line, s.refuse):
			fmt.Fprint(c, "550 no\r\n")
		case strings.HasPrefix(line, "EHLO"):
			fmt.Fprint(c, "250-mail.example.com\r\n250 8BITMIME\r\n")
		case line == "DATA":
			data = true
			fmt.Fprint(c, "354 go on\r\n")
		case line == "QUIT":
			fmt.Fprint(c, "221 bye\r\n")
			return
		default:
			fmt.Fprint(c, "250 fine\r\n")
		}
	}
}

func TestMail(t *testing.T) {
	t.Parallel()
	m := Message{ID: "msg_1", Title: "A review\r\nBcc: evil@example.com failed", Text: "Text.", Link: "https://assay.example.com/x"}
	send := func(server *mailServer, tls string) Outcome {
		host, port, _ := net.SplitHostPort(server.Addr().String())
		n, _ := strconv.Atoi(port)
		s := New(Config{SMTP: SMTP{Host: host, Port: n, From: "assay@example.com", TLS: tls}})
		return s.Send(context.Background(), Destination{Kind: "email", Addresses: []string{"a@example.com", "b@example.com"}}, m, time.Now())
	}
	good := newMailServer(t, "")
	if o := send(good, "none"); !o.Delivered {
		t.Fatalf("%+v", o)
	}
	good.mu.Lock()
	said := strings.Join(good.said, "\n")
	good.mu.Unlock()
	for _, want := range []string{"MAIL FROM:<assay@example.com>", "RCPT TO:<a@example.com>", "RCPT TO:<b@example.com>", "https://assay.example.com/x", "Message-ID: <msg_1@example.com>"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %s in\n%s", want, said)
		}
	}
	if strings.Contains(said, "\nBcc:") || strings.Contains(said, "To: <a@") {
		t.Errorf("a header was injected, or receivers see each other:\n%s", said)
	}
	if o := send(newMailServer(t, "RCPT"), "none"); o.Delivered || o.Retry || strings.Contains(o.Reason, "550") {
		t.Errorf("refused: %+v", o)
	}
	if o := send(good, "starttls"); o.Delivered {
		t.Error("without TLS where it is required")
	}
}
