package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Simulator is a simulator that [Run] can serve.
type Simulator interface {
	// Handler serves all requests.
	Handler() http.Handler
	// ControlToken returns the bearer token of the control interface.
	ControlToken() string
	// Stop releases everything that waits, so that requests end.
	Stop()
	// Close ends the simulator and writes its state.
	Close() error
}

// RunOptions are the options of every simulator that runs as a process.
type RunOptions struct {
	// Addr is the address to listen on; empty means a free port of 127.0.0.1.
	Addr string
	// BaseURL is the address in answers; empty means "http://" and the listener's address.
	BaseURL string
	// DataDir keeps the state; empty means a temporary folder that is removed at the end.
	DataDir string
	// Seed is "demo" or empty.
	Seed string
	// Doubts as in [Options].
	Doubts []simapi.Doubt
	// ControlToken as in [Options]; ControlTokenFile, if set, gets the token in use (mode 0600).
	ControlToken, ControlTokenFile string
	// WebhookURL, if set with a seed, makes a webhook for the sample before the pull requests are opened.
	// WebhookSecretFile holds its secret.
	WebhookURL, WebhookSecretFile string
	// TokenFile, with a seed, gets a new access token that may review the sample (mode 0600).
	TokenFile string
	Logger    *slog.Logger
}

// WebhookSecret reads the secret of the webhook; "" if there is no file.
func (o RunOptions) WebhookSecret() (string, error) {
	if o.WebhookSecretFile == "" {
		return "", nil
	}
	raw, err := os.ReadFile(o.WebhookSecretFile)
	if err != nil {
		return "", fmt.Errorf("webhook secret: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// WriteToken writes a token to a file (mode 0600).
func WriteToken(file, token string) error {
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the token: %w", err)
	}
	return nil
}

// Run opens a simulator, serves it and calls start, until the context ends. It returns the first error. The
// name is a short word for the temporary folder.
func Run[S Simulator](ctx context.Context, name string, opt RunOptions, open func(Options) (S, error), start func(S) error) (err error) {
	if opt.DataDir == "" {
		if opt.DataDir, err = os.MkdirTemp("", "sim-"+name+"-"); err != nil {
			return fmt.Errorf("make a temporary folder: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(opt.DataDir)) }()
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", OrElse(opt.Addr, "127.0.0.1:0"))
	if err != nil {
		return fmt.Errorf("listen on %s: %w", opt.Addr, err)
	}
	s, err := open(Options{DataDir: opt.DataDir, BaseURL: OrElse(opt.BaseURL, "http://"+listener.Addr().String()), Doubts: opt.Doubts,
		ControlToken: opt.ControlToken, Logger: opt.Logger})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if opt.ControlTokenFile != "" {
		if err := WriteToken(opt.ControlTokenFile, s.ControlToken()); err != nil {
			return errors.Join(err, listener.Close(), s.Close())
		}
	}
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if err = start(s); err == nil {
		select {
		case <-ctx.Done():
		case err = <-served:
		}
	}
	s.Stop()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if server.Shutdown(stop) != nil {
		_ = server.Close() // ends requests that hang because of a fault
	}
	return errors.Join(err, s.Close())
}
