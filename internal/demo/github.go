package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/github/simclient"
	"github.com/assay-dev/assay/sim/host/demo"
)

const (
	appID = 4711 // any number; the simulated host accepts it
	slug  = "assay"
)

// gitHub is a simulated GitHub; the service is connected to it by an app.
type gitHub struct {
	dir, listen string
	hook        secret.Secret
	sim         *simclient.Client
}

func (g *gitHub) file(name string) string { return filepath.Join(g.dir, name) }

func (g *gitHub) arguments() (_ []string, err error) {
	if g.hook, err = webhookSecret(g.file("webhook-secret")); err != nil {
		return nil, err
	}
	return []string{"github", "--data", g.file("github"), "--app-slug", slug, "--app-id", strconv.Itoa(appID), "--app-key-file",
		g.file("app.pem"),
		"--webhook-url", "http://" + g.listen + "/webhooks/codehost", "--webhook-secret-file", g.file("webhook-secret")}, nil
}

// connect also creates the accounts of the sample, because the service looks up the organisation's account at
// its start and caches an absence for a while.
func (g *gitHub) connect(ctx context.Context, base, token string) (config.Bootstrap, error) {
	g.sim = simclient.New(base, token)
	key, err := os.ReadFile(g.file("app.pem"))
	if err != nil {
		return config.Bootstrap{}, fmt.Errorf("the key of the simulated app: %w", err)
	}
	if err := demo.SeedAccounts(ctx, g.sim); err != nil {
		return config.Bootstrap{}, fmt.Errorf("seed the simulated GitHub: %w", err)
	}
	return config.Bootstrap{GitHub: config.BootstrapGitHub{BaseURL: base, AppID: appID, Slug: slug, Owner: []string{demo.Owner},
		PrivateKey: secret.New(string(key)), WebhookSecret: g.hook}}, nil
}

// seed also installs the app.
func (g *gitHub) seed(ctx context.Context) error {
	if g.pull(ctx, demo.Repository, len(demo.PullRequests())) {
		return nil
	}
	if _, err := g.sim.Install(ctx, simapi.InstallSpec{AppID: appID, Account: demo.Owner}); err != nil {
		return fmt.Errorf("install the app on the simulated GitHub: %w", err)
	}
	for _, step := range []func(context.Context, simapi.Seeder) error{demo.SeedRepository, demo.SeedPayouts, demo.OpenPulls} {
		if err := step(ctx, g.sim); err != nil {
			return fmt.Errorf("seed the simulated GitHub: %w", err)
		}
	}
	return nil
}

func (g *gitHub) number(_ string, number int) int { return number }

func (g *gitHub) page(repository string, number int) string {
	return fmt.Sprintf("%s/%s/pull/%d", g.sim.BaseURL(), repository, number)
}

func (g *gitHub) pull(ctx context.Context, repository string, number int) bool {
	_, err := g.sim.GetPull(ctx, repository, number)
	return err == nil // creating it shows any other error
}

func (g *gitHub) open(ctx context.Context) error { return demo.OpenHeld(ctx, g.sim) }

func (g *gitHub) reviews(ctx context.Context, number int) ([]simapi.Review, error) {
	return g.sim.VisibleReviews(ctx, demo.Repository, number)
}

func (g *gitHub) actions() actions { return g.sim }
