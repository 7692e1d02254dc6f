package tracking

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

const (
	// longestAsk bounds all requests of one query to a host together. It is below the 30 s of an interface
	// request (design choice).
	longestAsk = 15 * time.Second

	// maxHostWords bounds a host's text where it is shown, in bytes.
	maxHostWords = 300

	// maxMessage bounds the stored part of an answer, in bytes.
	maxMessage = 2000
)

const providerTable = "provider_connections"

func tokenScope(t domain.Tenant, id string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: providerTable, Row: id, Column: "token"}
}

// token opens the stored token of a connection.
func (s *Service) token(ctx context.Context, t domain.Tenant, row store.ProviderConnection) (secret.Secret, error) {
	return s.Keyring.OpenSecret(ctx, tokenScope(t, row.ID), row.Token)
}

// hostAnswer is a host's answer to the question what a token may do.
type hostAnswer struct {
	codehost.Probed
	owner   string        // as requested
	failed  error         // an error of the host or of the way to it; nil: the host has answered
	words   string        // the host's text, cleaned for display; "" if there is no text
	other   *otherAccount // the account that has the owner's name now; nil: the owner still has it
	renamed bool          // the owner's name differs from the connection's
	now     string        // the owner's present name if other is set; "" if the host does not return it
	ended   string        // day on which the token ended, as the host reported earlier; "" if unknown
}

// endsUS returns when the token ends, in microseconds; 0 if the host reports no end.
func (a hostAnswer) endsUS() int64 {
	if a.ExpiresAt == nil {
		return 0
	}
	return a.ExpiresAt.UnixMicro()
}

// ask asks the host of a connection what a token may do. Failures of the host are in the answer. The error
// is for other failures, such as a cancelled request.
func (s *Service) ask(ctx context.Context, row store.ProviderConnection, token secret.Secret) (hostAnswer, error) {
	a := hostAnswer{owner: row.Owner}
	host, err := s.Hosts.Connection(ctx, row, token)
	if err != nil {
		return a, err
	}
	bounded, cancel := context.WithTimeout(ctx, longestAsk)
	defer cancel()
	a.Probed, a.failed = host.Probe(bounded)
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	a.words = hostWords(a.failed, token)
	if end := store.Time(row.TokenEndsUS); row.TokenEndsUS != 0 && !end.After(time.Now()) { // only for the message
		a.ended = end.UTC().Format(time.DateOnly)
	}
	return a, nil
}

// hostWords returns a host's text about a failure: on one line, short, and without the token or other secrets.
func hostWords(err error, token secret.Secret) string {
	e, is := errors.AsType[*codehost.Error](err)
	if !is {
		return ""
	}
	return cleanWords(e.Message, token)
}

func cleanWords(text string, token secret.Secret) string {
	return clip.Bytes(Line(text, token), maxHostWords)
}

// Line returns a text on one line, without the token or other text that looks like a secret.
func Line(text string, token secret.Secret) string {
	if v := token.Reveal(); v != "" {
		text = strings.ReplaceAll(text, v, secret.Redacted)
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r): // includes characters that change the writing direction
			return -1
		}
		return r
	}, secret.Scrub(text))
	return strings.Join(strings.Fields(text), " ")
}

// refusal returns the errors that a person must fix before the connection can be saved; nil if the host may
// be asked again later.
func (a hostAnswer) refusal() error {
	var c field.Check
	switch codehost.ClassOf(a.failed) {
	case codehost.ClassForbidden:
		c.That(false, "/token", strings.TrimSuffix("is refused by the host. "+a.quote(), " "))
	case codehost.ClassNotFound:
		c.That(false, "/owner", "is not there, or the account of the token does not see it")
	case codehost.ClassMoved:
		c.That(false, "/owner", strings.TrimSuffix("has another name at the host now. "+a.quote(), " "))
	default:
		if a.failed == nil && len(a.Lacking) > 0 {
			c.That(false, "/token", "may do too little. "+strings.Join(a.missing(), " "))
		}
	}
	return c.Err()
}

// missing returns the sentences about missing permissions of the token, bounded.
func (a hostAnswer) missing() []string {
	return a.Missing[:min(len(a.Missing), domain.MaxJobNotes)]
}

// quote quotes the host's text; "" if there is no text.
func (a hostAnswer) quote() string {
	if a.words == "" {
		return ""
	}
	if codehost.ClassOf(a.failed) == codehost.ClassTooLarge { // the text is mostly ours
		return fmt.Sprintf("The reason: %s.", a.words)
	}
	return fmt.Sprintf("The host says: %q.", a.words)
}

// state returns the connection's state after an answer, and the reason.
func (a hostAnswer) state() (state, message string) {
	switch {
	case a.other != nil:
		return domain.ConnectionBroken, clip.Bytes(a.takenOverMessage(), maxMessage)
	case a.failed == nil && len(a.Lacking) == 0: // missing rights of the account do not make the token invalid
		return domain.ConnectionActive, clip.Bytes(strings.Join(a.missing(), " "), maxMessage)
	case a.failed == nil:
		return domain.ConnectionBroken, clip.Bytes("The token may do too little. "+strings.Join(a.missing(), " "), maxMessage)
	}
	return domain.ConnectionBroken, strings.TrimSuffix(a.sentence()+" "+a.quote(), " ")
}

// sentence describes the failure in our own words.
func (a hostAnswer) sentence() string {
	if refused, is := errors.AsType[*outbound.RefusedError](a.failed); is {
		return "The host cannot be asked from here: " + refused.Reason + "."
	}
	e, _ := errors.AsType[*codehost.Error](a.failed)
	switch class := codehost.ClassOf(a.failed); {
	case class == codehost.ClassForbidden && a.ended != "":
		return "The host refuses the token, which ended on " + a.ended + ". Make a new one there and enter it."
	case class == codehost.ClassForbidden:
		return "The host refuses the token. Make a new one there and enter it."
	case class == codehost.ClassNotFound:
		return "The host does not know the owner, or the account of the token does not see it."
	case class == codehost.ClassMoved:
		return "The owner was renamed at the host. Enter the new name as the owner of the connection, with the token."
	case class == codehost.ClassLimited:
		return "The host asks to wait before the next request. It is asked again by itself."
	case class == codehost.ClassTooLarge:
		return "The host answers with more than is read. Name the repositories of the connection instead of all."
	case e != nil && e.Status != 0:
		return fmt.Sprintf("The host answers with status %d. It is asked again by itself.", e.Status)
	}
	return "The host does not answer. It is asked again by itself; see that its address is right and that it can be reached from here."
}
