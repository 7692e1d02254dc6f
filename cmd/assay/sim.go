package main

import (
	"encoding/json"
	"fmt"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/logsafe"
	"github.com/assay-dev/assay/sim/azuredevops"
	azureapi "github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/bitbucket"
	bucketapi "github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/github"
	"github.com/assay-dev/assay/sim/gitlab"
	labapi "github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/script"
	"github.com/assay-dev/assay/sim/tools"
	"github.com/assay-dev/assay/sim/tracker"
	trackerapi "github.com/assay-dev/assay/sim/tracker/simapi"
)

// simCmd runs simulators of outside systems as separate processes. A ready simulator prints a line of JSON
// with its address to stdout.
type simCmd struct {
	GitHub    simGitHubCmd    `cmd:"" name:"github" help:"A simulated GitHub: pages, REST and GraphQL, git, webhooks and faults on demand."`
	Gitea     simGiteaCmd     `cmd:"" help:"A simulated Gitea or Forgejo: pages, REST interface, git, webhooks, sign-in and faults on demand."`
	GitLab    simGitLabCmd    `cmd:"" name:"gitlab" help:"A simulated GitLab: REST interface, git, webhooks and faults on demand."`
	Azure     simAzureCmd     `cmd:"" name:"azure-devops" help:"A simulated Azure DevOps: pages, REST, git, service hooks and faults."`
	Bitbucket simBitbucketCmd `cmd:"" help:"A simulated Bitbucket: pages, REST interface, git, webhooks and faults on demand."`
	Tracker   simTrackerCmd   `cmd:"" help:"A simulated Linear, Jira or Azure Boards: API, pages, webhooks, app sign-in and faults on demand."`
	Tools     simToolsCmd     `cmd:"" help:"A simulated tool server of a team (Model Context Protocol): its services and runbooks."`
	Model     simModelCmd     `cmd:"" help:"A scripted model that speaks the dialects of all kinds of keys."`
}

type simGitHubCmd struct {
	Addr              string `default:"127.0.0.1:0" help:"Address to listen on."`
	BaseURL           string `name:"base-url" help:"Origin that answers name. Default: the address."`
	Data              string `help:"Folder for its state. Default: a temporary one."`
	Seed              string `help:"demo: write the sample repository with open pull requests."`
	ControlToken      string `env:"ASSAY_SIM_CONTROL_TOKEN" help:"Token of the control interface. Default: a random one."`
	ControlTokenFile  string `help:"File to write that token to."`
	WebhookURL        string `name:"webhook-url" help:"Register an app with this webhook."`
	WebhookSecretFile string `help:"File with the secret of that webhook."`
	AppSlug           string `default:"assay" help:"Slug of that app."`
	AppID             int64  `name:"app-id" help:"Number of that app."`
	AppKeyFile        string `help:"File to write the app's private key to."`
}

// Help implements kong.HelpProvider.
func (simGitHubCmd) Help() string {
	return `Examples:

    assay sim github --seed demo --control-token-file token`
}

// Run implements the command.
func (s *simGitHubCmd) Run(e *env) error {
	ctx, stop := e.interrupted()
	defer stop()
	level := config.Default()
	level.LogLevel = "debug"
	return github.Run(ctx, github.RunOptions{AppSlug: s.AppSlug, AppID: s.AppID, AppKeyFile: s.AppKeyFile,
		RunOptions: host.RunOptions{Addr: s.Addr, BaseURL: s.BaseURL,
			DataDir: s.Data, Seed: s.Seed, ControlToken: s.ControlToken, ControlTokenFile: s.ControlTokenFile, WebhookURL: s.WebhookURL,
			WebhookSecretFile: s.WebhookSecretFile, Logger: e.logger(level)}}, e.simReady)
}

type simGiteaCmd struct {
	Addr              string   `default:"127.0.0.1:0" help:"Address to listen on."`
	BaseURL           string   `name:"base-url" help:"Origin that answers name. Default: the address."`
	Data              string   `help:"Folder for its state. Default: a temporary one."`
	Seed              string   `help:"demo: write the sample repository with open pull requests."`
	Forgejo           bool     `help:"Simulate Forgejo."`
	Doubts            []string `name:"doubt" help:"Decide an unknown behaviour of the host: name=on or name=off. May be repeated."`
	ControlToken      string   `env:"ASSAY_SIM_CONTROL_TOKEN" help:"Token of the control interface. Default: a random one."`
	ControlTokenFile  string   `help:"File to write that token to."`
	WebhookURL        string   `name:"webhook-url" help:"Register a webhook of the sample repository."`
	WebhookSecretFile string   `help:"File with the secret of that webhook."`
	TokenFile         string   `help:"File to write the token of a machine account to that may review the sample."`
}

// Help implements kong.HelpProvider.
func (simGiteaCmd) Help() string {
	return fmt.Sprintf(`Examples:

    assay sim gitea --seed demo --control-token-file token
    assay sim gitea --forgejo --doubt one-slot=on

Doubts: %v.`, simapi.Doubts())
}

// Run implements the command.
func (s *simGiteaCmd) Run(e *env) error {
	on, err := simapi.Doubts().Parse(s.Doubts)
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	level := config.Default()
	level.LogLevel = "debug"
	return gitea.Run(ctx, gitea.RunOptions{Forgejo: s.Forgejo, RunOptions: host.RunOptions{Addr: s.Addr, BaseURL: s.BaseURL,
		DataDir: s.Data, Seed: s.Seed, Doubts: on,
		ControlToken: s.ControlToken, ControlTokenFile: s.ControlTokenFile, WebhookURL: s.WebhookURL,
		WebhookSecretFile: s.WebhookSecretFile, TokenFile: s.TokenFile,
		Logger: e.logger(level)}}, e.simReady)
}

type simAzureCmd struct {
	Addr             string   `default:"127.0.0.1:0" help:"Address to listen on."`
	BaseURL          string   `name:"base-url" help:"Address in answers, with the path of the instance. Default: the address."`
	Data             string   `help:"Folder for its state. Default: a temporary one."`
	Seed             string   `help:"demo: write the sample repository with open pull requests."`
	Doubts           []string `name:"doubt" help:"Decide an unknown behaviour of the host: name=on or name=off. May be repeated."`
	ControlToken     string   `env:"ASSAY_SIM_CONTROL_TOKEN" help:"Token of the control interface. Default: a random one."`
	ControlTokenFile string   `help:"File to write that token to."`
	TokenFile        string   `help:"File to write a personal access token to that may review the sample."`
}

// Help implements kong.HelpProvider.
func (simAzureCmd) Help() string {
	return fmt.Sprintf(`Examples:

    assay sim azure-devops --seed demo --control-token-file token
    assay sim azure-devops --doubt sign-in-page=on

Doubts: %v.`, azureapi.Doubts())
}

// Run implements the command.
func (s *simAzureCmd) Run(e *env) error {
	on, err := azureapi.Doubts().Parse(s.Doubts)
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	level := config.Default()
	level.LogLevel = "debug"
	return azuredevops.Run(ctx, azuredevops.RunOptions{Addr: s.Addr, BaseURL: s.BaseURL, DataDir: s.Data, Seed: s.Seed, Doubts: on,
		ControlToken: s.ControlToken, ControlTokenFile: s.ControlTokenFile, TokenFile: s.TokenFile,
		Logger: e.logger(level)}, e.simReady)
}

type simGitLabCmd struct {
	Addr              string   `default:"127.0.0.1:0" help:"Address to listen on."`
	BaseURL           string   `name:"base-url" help:"Address in answers, with the path of the instance. Default: the address."`
	Data              string   `help:"Folder for its state. Default: a temporary one."`
	Seed              string   `help:"demo: write the sample repository with open merge requests."`
	Doubts            []string `name:"doubt" help:"Decide an unknown behaviour of the host: name=on or name=off. May be repeated."`
	ControlToken      string   `env:"ASSAY_SIM_CONTROL_TOKEN" help:"Token of the control interface. Default: a random one."`
	ControlTokenFile  string   `help:"File to write that token to."`
	WebhookURL        string   `name:"webhook-url" help:"Register a webhook of the sample project."`
	WebhookSecretFile string   `help:"File with the token of that webhook."`
	TokenFile         string   `help:"File to write a group access token to that may review the sample."`
}

// Help implements kong.HelpProvider.
func (simGitLabCmd) Help() string {
	return fmt.Sprintf(`Examples:

    assay sim gitlab --seed demo --control-token-file token
    assay sim gitlab --doubt one-reviewer=on

Doubts: %v.`, labapi.Doubts())
}

// Run implements the command.
func (s *simGitLabCmd) Run(e *env) error {
	on, err := labapi.Doubts().Parse(s.Doubts)
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	level := config.Default()
	level.LogLevel = "debug"
	return gitlab.Run(ctx, gitlab.RunOptions{Addr: s.Addr, BaseURL: s.BaseURL, DataDir: s.Data, Seed: s.Seed, Doubts: on,
		ControlToken:     s.ControlToken,
		ControlTokenFile: s.ControlTokenFile, WebhookURL: s.WebhookURL, WebhookSecretFile: s.WebhookSecretFile, TokenFile: s.TokenFile,
		Logger: e.logger(level)}, e.simReady)
}

type simBitbucketCmd struct {
	Mode              string   `enum:"cloud,datacenter" default:"cloud" help:"Which Bitbucket: ${enum}."`
	Addr              string   `default:"127.0.0.1:0" help:"Address to listen on."`
	BaseURL           string   `name:"base-url" help:"Origin that answers name. Default: the address."`
	Data              string   `help:"Folder for its state. Default: a temporary one."`
	Seed              string   `help:"demo: write the sample repository with open pull requests."`
	Doubts            []string `name:"doubt" help:"Decide an unknown behaviour of the host: name=on or name=off. May be repeated."`
	ControlToken      string   `env:"ASSAY_SIM_CONTROL_TOKEN" help:"Token of the control interface. Default: a random one."`
	ControlTokenFile  string   `help:"File to write that token to."`
	WebhookURL        string   `name:"webhook-url" help:"Register a webhook of the sample repository."`
	WebhookSecretFile string   `help:"File with the secret of that webhook."`
	TokenFile         string   `help:"File to write an access token of the workspace to that may review the sample."`
}

// Help implements kong.HelpProvider.
func (simBitbucketCmd) Help() string {
	return fmt.Sprintf(`Examples:

    assay sim bitbucket --seed demo --control-token-file token
    assay sim bitbucket --doubt pending-private=on

Doubts: %v.`, bucketapi.Doubts())
}

// Run implements the command.
func (s *simBitbucketCmd) Run(e *env) error {
	on, err := bucketapi.Doubts().Parse(s.Doubts)
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	level := config.Default()
	level.LogLevel = "debug"
	return bitbucket.RunMode(ctx, s.Mode == "datacenter", bitbucket.RunOptions{
		Addr: s.Addr, BaseURL: s.BaseURL, DataDir: s.Data, Seed: s.Seed, Doubts: on,
		ControlToken: s.ControlToken, ControlTokenFile: s.ControlTokenFile, WebhookURL: s.WebhookURL,
		WebhookSecretFile: s.WebhookSecretFile, TokenFile: s.TokenFile, Logger: e.logger(level)}, e.simReady)
}

type simTrackerCmd struct {
	Dialect          string   `required:"" enum:"linear,jira-cloud,jira-server,azure-boards" help:"Which tracker: ${enum}."`
	Addr             string   `default:"127.0.0.1:0" help:"Address to listen on."`
	BaseURL          string   `name:"base-url" help:"Address in answers. Default: the address, for azure-boards with the organisation acme."`
	Data             string   `help:"Folder for its state. Default: a temporary one."`
	Doubts           []string `name:"doubt" help:"Switch on an unknown behaviour of the tracker. May be repeated."`
	ControlToken     string   `env:"ASSAY_SIM_CONTROL_TOKEN" help:"Token of the control interface. Default: a random one."`
	ControlTokenFile string   `help:"File to write that token to."`
}

// Help implements kong.HelpProvider.
func (simTrackerCmd) Help() string {
	return fmt.Sprintf(`Examples:

    assay sim tracker --dialect linear --control-token-file token

Doubts: %v.`, trackerapi.Doubts())
}

// Run implements the command.
func (s *simTrackerCmd) Run(e *env) error {
	var doubts []trackerapi.Doubt
	for _, d := range s.Doubts {
		doubts = append(doubts, trackerapi.Doubt(d))
	}
	ctx, stop := e.interrupted()
	defer stop()
	level := config.Default()
	level.LogLevel = "debug"
	return tracker.Run(ctx, tracker.RunOptions{Dialect: trackerapi.Dialect(s.Dialect),
		RunOptions: host.RunOptions{Addr: s.Addr, BaseURL: s.BaseURL, DataDir: s.Data,
			Doubts: doubts, ControlToken: s.ControlToken, ControlTokenFile: s.ControlTokenFile, Logger: e.logger(level)}}, e.simReady)
}

type simToolsCmd struct {
	Addr string `default:"127.0.0.1:0" help:"Address to listen on."`
}

// Help implements kong.HelpProvider.
func (simToolsCmd) Help() string {
	return `Examples:

    assay sim tools --addr 127.0.0.1:8090`
}

// Run implements the command.
func (s *simToolsCmd) Run(e *env) error {
	ctx, stop := e.interrupted()
	defer stop()
	level := config.Default()
	level.LogLevel = "debug"
	return tools.Run(ctx, tools.RunOptions{Addr: s.Addr, Logger: e.logger(level)}, e.simReady)
}

type simModelCmd struct {
	Addr             string   `default:"127.0.0.1:0" help:"Address to listen on."`
	APIKeyFile       string   `name:"api-key-file" help:"File with the key that requests must bear. Default: any."`
	Models           []string `help:"Names of the models. Default: sim-fast, sim-standard, sim-strong."`
	Strict           bool     `help:"Refuse other models."`
	Efforts          []string `help:"Reasoning efforts that are accepted. Default: all."`
	RulesFile        string   `help:"JSON file with a list of rules."`
	Script           string   `enum:"none,demo" default:"none" help:"demo: find the faults of the sample pull requests."`
	ControlToken     string   `env:"ASSAY_SIM_CONTROL_TOKEN" help:"Token of the control interface. Default: a random one."`
	ControlTokenFile string   `help:"File to write that token to."`
}

// Help implements kong.HelpProvider.
func (simModelCmd) Help() string {
	return `Examples:

    assay sim model --script demo`
}

// Run implements the command.
func (s *simModelCmd) Run(e *env) error {
	ctx, stop := e.interrupted()
	defer stop()
	o := model.RunOptions{Addr: s.Addr, APIKeyFile: s.APIKeyFile, Models: s.Models, Strict: s.Strict, Efforts: s.Efforts,
		RulesFile:    s.RulesFile,
		ControlToken: s.ControlToken, ControlTokenFile: s.ControlTokenFile}
	if s.Script == "demo" {
		o.Rules = script.Demo()
	}
	return model.Run(ctx, o, e.simReady)
}

// simReady prints a simulator's address for the parent process or a test.
func (e *env) simReady(base string) {
	line, err := json.Marshal(map[string]string{"ready": base})
	if err == nil {
		fmt.Fprintln(logsafe.Raw(e.stdout), string(line))
	}
}
