package audit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/assay-dev/assay/internal/secret"
)

// keyName is the name in signatures and verifier keys (see package
// golang.org/x/mod/sumdb/note).
const keyName = "assay-audit"

// origin is the prefix of the log's id in the first line of a checkpoint.
const origin = "assay/audit/"

// maxCheckpoint is the maximum size of a checkpoint, in bytes (design choice; real ones have about 300).
const maxCheckpoint = 4 << 10

var keyScope = secret.Scope{Table: "audit_keys", Row: "head", Column: "sealed"}

// signer is the opened key that signs heads.
type signer struct {
	note.Signer
	verifier string
}

// Key returns the verifier key in the format of package note: the public half of the key that signs heads. It creates
// the key if it does not exist.
func (l *Log) Key(ctx context.Context) (string, error) {
	s, err := l.key(ctx)
	if err != nil {
		return "", err
	}
	return s.verifier, nil
}

// key opens the signing key. It caches the key only outside a transaction, because a rollback would undo a
// new key.
func (l *Log) key(ctx context.Context) (*signer, error) {
	l.mu.Lock()
	known := l.signer
	l.mu.Unlock()
	if known != nil {
		return known, nil
	}
	sealed, err := l.store.AuditKey(ctx)
	if err == nil && sealed == nil {
		sealed, err = l.makeKey(ctx)
	}
	if err != nil {
		return nil, err
	}
	opened, err := l.keys.OpenSecret(ctx, keyScope, sealed)
	if err != nil {
		return nil, fmt.Errorf("open the key of the audit log: %w", err)
	}
	private, verifier, ok := strings.Cut(opened.Reveal(), "\n")
	if !ok {
		return nil, errors.New("audit: the stored key has an unknown form")
	}
	s, err := note.NewSigner(private)
	if err != nil {
		return nil, errors.New("audit: the stored key cannot be read")
	}
	known = &signer{s, verifier}
	if !l.store.Within(ctx) {
		l.mu.Lock()
		l.signer = known
		l.mu.Unlock()
	}
	return known, nil
}

func (l *Log) makeKey(ctx context.Context) ([]byte, error) {
	private, verifier, err := note.GenerateKey(rand.Reader, keyName)
	if err != nil {
		return nil, err
	}
	sealed, err := l.keys.SealSecret(ctx, keyScope, secret.New(private+"\n"+verifier))
	if err != nil {
		return nil, err
	}
	return l.store.CreateAuditKey(ctx, sealed)
}

// checkpoint is the size and the root hash of a log.
type checkpoint struct {
	Log  string
	Size int64
	Root tlog.Hash
}

func (c checkpoint) text() string {
	return origin + c.Log + "\n" + strconv.FormatInt(c.Size, 10) + "\n" + c.Root.String() + "\n"
}

// sign returns the checkpoint as a signed note.
func (s *signer) sign(c checkpoint) (string, error) {
	msg, err := note.Sign(&note.Note{Text: c.text()}, s)
	return string(msg), err
}

// Errors of checkpoints.
var (
	errNoCheckpoint = errors.New("is not a checkpoint of an audit log")
	errOtherKey     = errors.New("is not signed with the key of this instance")
)

// openCheckpoint reads a signed note. With errOtherKey it also returns the content of the note.
func openCheckpoint(msg, verifier string) (checkpoint, error) {
	if len(msg) > maxCheckpoint {
		return checkpoint{}, errNoCheckpoint
	}
	v, err := note.NewVerifier(verifier)
	if err != nil {
		return checkpoint{}, errors.New("the verifier key has an unknown form")
	}
	n, err := note.Open([]byte(msg), note.VerifierList(v))
	var unverified *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case err == nil:
		return parseCheckpoint(n.Text)
	case errors.As(err, &unverified):
		c, err := parseCheckpoint(unverified.Note.Text)
		if err != nil {
			return c, err
		}
		return c, errOtherKey
	case errors.As(err, &invalid):
		return checkpoint{}, errOtherKey
	}
	return checkpoint{}, errNoCheckpoint
}

func parseCheckpoint(text string) (checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[3] != "" {
		return checkpoint{}, errNoCheckpoint
	}
	log, ok := strings.CutPrefix(lines[0], origin)
	size, err := strconv.ParseInt(lines[1], 10, 64)
	root, rerr := tlog.ParseHash(lines[2])
	if !ok || log == "" || err != nil || size < 0 || rerr != nil || strconv.FormatInt(size, 10) != lines[1] {
		return checkpoint{}, errNoCheckpoint
	}
	return checkpoint{log, size, root}, nil
}
