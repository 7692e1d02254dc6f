package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// hookTimeout bounds the wait for the service's webhook (design choice). The service finds pull requests that
// were opened before by itself later.
const hookTimeout = 30 * time.Second

// tokenHost is a simulated host to which the service is connected by the token of a machine account. The
// service registers its webhook itself.
type tokenHost struct {
	dir  string
	kind domain.ConnectionKind
	log  *slog.Logger
	// args are the simulator's arguments without its folder.
	args []string
	// dial returns a client of a running simulator.
	dial func(base, token string) tokenSim
	sim  tokenSim // set by connect
}

// tokenSim is the part that differs between hosts that are connected by a token.
type tokenSim interface {
	shared.Seeder
	actions
	BaseURL() string
	// robot makes the account with the token, which may review both sample repositories and manage their
	// webhooks.
	robot(ctx context.Context) (token string, err error)
	// hooked reports whether a repository has an active webhook.
	hooked(ctx context.Context, repository string) (bool, error)
	// page returns the path of a pull request's page.
	page(repository string, number int) string
	// reviews lists the submitted reviews of a pull request.
	reviews(ctx context.Context, repository string, number int) ([]shared.Review, error)
}

func (h *tokenHost) arguments() ([]string, error) {
	return append(h.args, "--data", filepath.Join(h.dir, string(h.kind))), nil
}

func (h *tokenHost) connect(ctx context.Context, base, token string) (config.Bootstrap, error) {
	h.sim = h.dial(base, token)
	key, err := h.robot(ctx)
	if err != nil {
		return config.Bootstrap{}, fmt.Errorf("the account on the simulated %s: %w", h.kind, err)
	}
	return config.Bootstrap{Connection: config.BootstrapConnection{Kind: string(h.kind), Name: codehost.NameOf(h.kind) +
		" of the demo", BaseURL: base, Owner: demo.Owner, Token: key,
		Repositories: []string{config.EveryRepository}, RegisterWebhooks: true}}, nil
}

// robot returns the token of the machine account. A kept demo has it with all its rights; otherwise robot
// makes it, with the repositories.
func (h *tokenHost) robot(ctx context.Context) (secret.Secret, error) {
	file := filepath.Join(h.dir, "token")
	raw, err := os.ReadFile(file)
	if err == nil {
		return secret.New(strings.TrimSpace(string(raw))), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return secret.Secret{}, err
	}
	for _, step := range []func(context.Context, shared.Seeder) error{demo.SeedAccounts, demo.SeedRepository, demo.SeedPayouts} {
		if err := step(ctx, h.sim); err != nil {
			return secret.Secret{}, err
		}
	}
	text, err := h.sim.robot(ctx)
	if err != nil {
		return secret.Secret{}, err
	}
	return secret.New(text), os.WriteFile(file, []byte(text+"\n"), 0o600)
}

func (h *tokenHost) seed(ctx context.Context) error {
	if h.pull(ctx, demo.Repository, len(demo.PullRequests())) {
		return nil
	}
	if err := h.awaitHook(ctx, demo.Repository); err != nil {
		return err
	}
	if err := demo.OpenPulls(ctx, h.sim); err != nil {
		return fmt.Errorf("seed the simulated %s: %w", h.kind, err)
	}
	return nil
}

// awaitHook waits for the service's webhook of a repository, because earlier pull requests send no event.
func (h *tokenHost) awaitHook(ctx context.Context, repository string) error {
	bounded, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if there, err := h.sim.hooked(bounded, repository); err == nil && there {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-bounded.Done():
			h.log.Warn("the service has not registered its webhook: the sample pull requests are found when the service looks for them")
			return nil
		case <-tick.C:
		}
	}
}

// shifted is a host whose numbers of pull requests differ from those of the sample.
type shifted interface{ shift(repository string) int }

func (h *tokenHost) number(repository string, number int) int {
	if s, is := h.sim.(shifted); is {
		return number + s.shift(repository)
	}
	return number
}

func (h *tokenHost) page(repository string, number int) string {
	return h.sim.BaseURL() + h.sim.page(repository, number)
}

func (h *tokenHost) pull(ctx context.Context, repository string, number int) bool {
	_, err := h.sim.GetPull(ctx, repository, number)
	return err == nil // creating it shows any other error
}

func (h *tokenHost) open(ctx context.Context) error {
	if err := h.awaitHook(ctx, demo.Payouts); err != nil {
		return err
	}
	return demo.OpenHeld(ctx, h.sim)
}

func (h *tokenHost) reviews(ctx context.Context, number int) ([]shared.Review, error) {
	return h.sim.reviews(ctx, demo.Repository, number)
}

func (h *tokenHost) actions() actions { return h.sim }
