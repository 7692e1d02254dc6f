package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// Simulator is what [Run] serves.
type Simulator interface {
	// Handler serves everything.
	Handler() http.Handler
	// ControlToken is the bearer token of the control interface.
	ControlToken() string
	// Stop lets go of everything that waits, so that requests end.
	Stop()
	// Close ends the simulator and writes its state.
	Close() error
}

// RunOptions are those of every simulator that runs as a process of its own.
type RunOptions struct {
	// Name is a short word for the temporary folder.
	Name string
	// Addr to listen on; empty means a free port of 127.0.0.1.
	Addr string
	// BaseURL that answers name; empty means "http://" and the address listened on.
	BaseURL string
	// DataDir keeps the state; empty means a temporary folder that is removed at the end.
	DataDir string
	// ControlTokenFile, when named, is written with the control token in use (mode 0600).
	ControlTokenFile string
}

// Run makes a simulator, serves it and calls start, until the context ends. It returns the first error.
func Run[S Simulator](ctx context.Context, opt RunOptions, open func(baseURL, dataDir string) (S, error), start func(S) error) (err error) {
	if opt.DataDir == "" {
		if opt.DataDir, err = os.MkdirTemp("", "sim-"+opt.Name+"-"); err != nil {
			return fmt.Errorf("make a temporary folder: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(opt.DataDir)) }()
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", OrElse(opt.Addr, "127.0.0.1:0"))
	if err != nil {
		return fmt.Errorf("listen on %s: %w", opt.Addr, err)
	}
	s, err := open(OrElse(opt.BaseURL, "http://"+listener.Addr().String()), opt.DataDir)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if opt.ControlTokenFile != "" {
		if err := os.WriteFile(opt.ControlTokenFile, []byte(s.ControlToken()+"\n"), 0o600); err != nil {
			return errors.Join(fmt.Errorf("write the control token: %w", err), listener.Close(), s.Close())
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
		_ = server.Close() // requests that hang by order of a fault
	}
	return errors.Join(err, s.Close())
}
