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
	// longestAsk bounds all requests of one question to a host together, below the
	// 30 s of a request of the interface (design choice).
	longestAsk = 15 * time.Second

	// mostWords bounds what a host said where it is shown, in bytes.
	mostWords = 300

	// mostMessage bounds what is stored of an answer, in bytes.
	mostMessage = 2000
)

const providerTable = "provider_connections"

func tokenScope(t domain.Tenant, id string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: providerTable, Row: id, Column: "token"}
}

// token opens the stored token of a connection.
func (s *Service) token(ctx context.Context, t domain.Tenant, row store.ProviderConnection) (secret.Secret, error) {
	return s.Keyring.OpenSecret(ctx, tokenScope(t, row.ID), row.Token)
}

// answer is what a host said to the question what a token is worth.
type answer struct {
	codehost.Probed
	owner   string        // as it was asked for
	failed  error         // of the host, or on the way to it; nil: it has answered
	words   string        // of the host, fit to be shown; "" where it has none
	other   *otherAccount // has the name of the owner; nil: the owner has it
	renamed bool          // the owner has another name than the connection has
	now     string        // what the owner is called if other has its name; "" if the host does not say
	ended   string        // the day on which the token ended, as the host said earlier; "" where nothing is known
}

// endsUS is when the token ends, in microseconds; 0 where the host tells of no end.
func (a answer) endsUS() int64 {
	if a.ExpiresAt == nil {
		return 0
	}
	return a.ExpiresAt.UnixMicro()
}

// ask asks the host of a connection what a token is worth. What the host says is
// in the answer; the error is of those that say nothing of the host, such as that
// whoever asked has gone.
func (s *Service) ask(ctx context.Context, row store.ProviderConnection, token secret.Secret) (answer, error) {
	a := answer{owner: row.Owner}
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
	a.words = words(a.failed, token)
	if end := store.Time(row.TokenEndsUS); row.TokenEndsUS != 0 && !end.After(time.Now()) { // for the words alone: it is the host that refuses
		a.ended = end.UTC().Format(time.DateOnly)
	}
	return a, nil
}

// words are what a host said of a failure: on one line, short, and without the
// token or anything else that looks like a secret.
func words(err error, token secret.Secret) string {
	e, is := errors.AsType[*codehost.Error](err)
	if !is {
		return ""
	}
	return clean(e.Message, token)
}

func clean(text string, token secret.Secret) string { return clip.Bytes(Line(text, token), mostWords) }

// Line is a text on one line, without the token or anything else that looks like a
// secret.
func Line(text string, token secret.Secret) string {
	if v := token.Reveal(); v != "" {
		text = strings.ReplaceAll(text, v, secret.Redacted)
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r): // also what changes the direction of writing
			return -1
		}
		return r
	}, secret.Scrub(text))
	return strings.Join(strings.Fields(text), " ")
}

// refusal is what a person has to mend before the connection can be saved; nil
// where the host may be asked again later.
func (a answer) refusal() error {
	var c field.Check
	switch codehost.ClassOf(a.failed) {
	case codehost.ClassForbidden:
		c.That(false, "/token", strings.TrimSuffix("is refused by the host. "+a.said(), " "))
	case codehost.ClassNotFound:
		c.That(false, "/owner", "is not there, or the account of the token does not see it")
	case codehost.ClassMoved:
		c.That(false, "/owner", strings.TrimSuffix("has another name at the host now. "+a.said(), " "))
	default:
		if a.failed == nil && len(a.Lacking) > 0 {
			c.That(false, "/token", "may do too little. "+strings.Join(a.missing(), " "))
		}
	}
	return c.Err()
}

// missing are the sentences about what the token may not do, bounded.
func (a answer) missing() []string {
	return a.Missing[:min(len(a.Missing), domain.MaxJobNotes)]
}

// said quotes the host; "" where it said nothing.
func (a answer) said() string {
	if a.words == "" {
		return ""
	}
	if codehost.ClassOf(a.failed) == codehost.ClassTooLarge { // the words are mostly ours
		return fmt.Sprintf("The reason: %s.", a.words)
	}
	return fmt.Sprintf("The host says: %q.", a.words)
}

// state is the state of a connection after an answer, and why it is one.
func (a answer) state() (state, message string) {
	switch {
	case a.other != nil:
		return domain.ConnectionBroken, clip.Bytes(a.takenOver(), mostMessage)
	case a.failed == nil && len(a.Lacking) == 0: // what the account may not do is not the token's fault
		return domain.ConnectionActive, clip.Bytes(strings.Join(a.missing(), " "), mostMessage)
	case a.failed == nil:
		return domain.ConnectionBroken, clip.Bytes("The token may do too little. "+strings.Join(a.missing(), " "), mostMessage)
	}
	return domain.ConnectionBroken, strings.TrimSuffix(a.sentence()+" "+a.said(), " ")
}

// sentence says what is wrong, in our words.
func (a answer) sentence() string {
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
