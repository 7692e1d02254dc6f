package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/assay-dev/assay/internal/secret"
)

// SMTP is the operator's mail server. The zero value means no mail server.
type SMTP struct {
	Host     string
	Port     int
	Username string
	Password secret.Secret
	From     string // address of the sender
	TLS      string // starttls, implicit, or none
}

// mail sends a message as plain text in one envelope. The addresses are in Bcc, so that receivers do not
// see each other.
func (s *Service) mail(ctx context.Context, to []string, m Message) Outcome {
	if s.SMTP.Host == "" {
		return Outcome{Reason: "no mail server is configured; an operator sets ASSAY_SMTP_HOST"}
	}
	msg := mail.NewMsg()
	msg.Subject(m.Title)
	text := m.Text
	if m.Link != "" {
		text += "\n\n" + m.Link
	}
	msg.SetBodyString(mail.TypeTextPlain, strings.TrimSpace(text)+"\n")
	msg.SetMessageIDWithValue(m.ID + "@" + s.SMTP.From[strings.LastIndexByte(s.SMTP.From, '@')+1:])
	if msg.From(s.SMTP.From) != nil || msg.Bcc(to...) != nil {
		return Outcome{Reason: "an address cannot be used"}
	}
	client, err := mail.NewClient(s.SMTP.Host, s.SMTP.options()...)
	if err != nil {
		return Outcome{Reason: "the mail server's settings cannot be used"}
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	if err := client.DialAndSendWithContext(ctx, msg); err != nil {
		refused, ok := errors.AsType[*mail.SendError](err)
		if ok && !refused.IsTemp() {
			return Outcome{Reason: "the mail server refused the message"}
		}
		return Outcome{Reason: "the mail server could not be reached, or did not take the message", Retry: true}
	}
	return Outcome{Delivered: true}
}

func (c SMTP) options() []mail.Option {
	out := []mail.Option{mail.WithPort(c.Port), mail.WithTimeout(10 * time.Second),
		mail.WithTLSConfig(&tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.Host})}
	switch c.TLS {
	case "implicit":
		out = append(out, mail.WithSSL())
	case "none":
		out = append(out, mail.WithTLSPolicy(mail.NoTLS))
	default:
		out = append(out, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if c.Username != "" {
		out = append(out, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(c.Username), mail.WithPassword(c.Password.Reveal()))
	}
	return out
}
