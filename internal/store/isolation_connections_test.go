package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// connected are the victim's connections, tool servers and tokens.
type connected struct {
	provider store.ProviderConnection
	tracker  store.TrackerConnection
	asked    store.TrackerConnection // enabled, nothing is under way
	held     store.TrackerConnection // its grant is being renewed
	lapsed   store.TrackerConnection // the process that renewed its grant died
	server   store.MCPServer
	token    store.MCPToken
	called   store.AssistantCall
	access   store.Access
	removal  store.HookRemoval

	repository store.Repository         // of the access
	hostUser   domain.HostID            // the victim's id at the host
	linked     string                   // a member who is linked by hand
	idle       store.ProviderConnection // enabled, nothing is under way
	ending     store.ProviderConnection // its token expires soon
}

var connectionsIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		c := &v.connected
		c.provider = must2(s.CreateProviderConnection(bg, v.Tenant, store.ProviderConnection{ID: domain.NewID("pcn"), Kind: "gitlab", Name: "Payments", BaseURL: "https://gitlab.example/", Token: []byte("sealed"), Repositories: "[]", Enabled: true}))(t)
		c.idle = must2(s.CreateProviderConnection(bg, v.Tenant, store.ProviderConnection{ID: domain.NewID("pcn"), Kind: "gitlab", Name: "Idle", Token: []byte("sealed"), Repositories: "[]", Enabled: true}))(t)
		c.ending = must2(s.CreateProviderConnection(bg, v.Tenant, store.ProviderConnection{ID: domain.NewID("pcn"), Kind: "gitlab", Name: "Ending", Token: []byte("sealed"), Repositories: "[]",
			TokenEndsUS: time.Now().Add(time.Minute).UnixMicro()}))(t)
		c.access = must2(s.UpsertConnectionAccess(bg, v.Tenant, store.Access{Kind: "gitlab", Connection: c.provider.ID, Host: "https://gitlab.example", AccountID: "1", AccountLogin: "payments"}))(t)
		_, _, err := s.SyncAccessRepositories(bg, v.Tenant, c.access.ID, []store.Repository{{ExternalID: "{8f0c}", Owner: "payments", Name: "api"}})
		testkit.OK(t, err)
		c.removal = store.HookRemoval{ID: domain.NewID("hkr"), Access: c.access.ID, Kind: "gitlab", Token: []byte("sealed")}
		testkit.OK(t, s.AddHookRemoval(bg, v.Tenant, c.removal, time.Hour))
		c.repository = must2(s.AccessRepositories(bg, v.Tenant, c.access.ID))(t)[0]
		idp := must2(s.CreateIdentityProvider(bg, store.IdentityProvider{ID: domain.NewID("idp"), Slug: domain.NewID("slug"), Issuer: "https://id.gitlab.example", ClientSecret: []byte("sealed"),
			Scopes: "[]", Tenants: []string{v.Tenant.ID}, Enabled: true, HostUserID: "https://GitLab.example/"}))(t)
		c.hostUser = domain.HostID(v.user)
		must2(s.CreateIdentity(bg, store.Identity{UserID: v.user, Issuer: idp.Issuer, Subject: v.user, Kind: store.IdentityOIDC}))(t)
		testkit.OK(t, s.ReplaceHostMembers(bg, v.Tenant, c.access.ID, c.repository.ID, []store.HostMember{{HostUser: c.hostUser, Login: "mona", Permission: "write", Account: "member"}}))
		testkit.OK(t, s.KeepRepositoryRole(bg, v.Tenant, c.repository.ID, v.user, "review", time.Now().UnixMicro()))
		c.linked = must2(s.CreateUser(bg, "Linked", false))(t).ID
		testkit.OK(t, s.SetMember(bg, v.Tenant, c.linked, domain.RoleMember, domain.SourceHand))
		testkit.OK(t, s.ProposeHostAccount(bg, v.Tenant, c.access, store.HostAccountLink{User: c.linked, Subject: "9", Login: "lin", ProposedBy: v.user}))
		testkit.OK(t, s.KeepRepositoryRole(bg, v.Tenant, c.repository.ID, c.linked, "review", time.Now().UnixMicro()))
		c.tracker = must2(s.CreateTrackerConnection(bg, v.Tenant, store.TrackerConnection{ID: domain.NewID("tcn"), Kind: "linear", Name: "Issues", AuthKind: "token", Token: []byte("sealed"), Projects: "[]", Mapping: "{}"}))(t)
		signed := func(name string) store.TrackerConnection {
			made := must2(s.CreateTrackerConnection(bg, v.Tenant, store.TrackerConnection{ID: domain.NewID("tcn"), Kind: "linear", Name: name, AuthKind: "oauth", ClientSecret: []byte("sealed"), Projects: "[]", Mapping: "{}", Enabled: true}))(t)
			must2(s.PutTrackerGrant(bg, v.Tenant, made.ID, store.TrackerGrant{Generation: 1, Access: []byte("sealed"), Refresh: []byte("sealed"), Life: time.Hour}))(t)
			return made
		}
		c.asked, c.held, c.lapsed = signed("Asked"), signed("Held"), signed("Lapsed")
		must2(s.HoldTrackerGrant(bg, v.Tenant, c.held.ID, 1, "holder", time.Hour))(t)
		must2(s.HoldTrackerGrant(bg, v.Tenant, c.lapsed.ID, 1, "holder", -time.Second))(t)
		must2(s.BeginBackfill(bg, v.Tenant, c.asked.ID, "job_1"))(t)
		c.server = must2(s.CreateMCPServer(bg, v.Tenant, store.MCPServer{ID: domain.NewID("mcp"), Name: "Docs", AuthKind: "none", TimeoutSeconds: 5}))(t)
		c.token = must2(s.CreateMCPToken(bg, v.Tenant, store.MCPToken{User: v.user, Name: "laptop", Scopes: "[]", ExpiresUS: time.Now().Add(time.Hour).UnixMicro()}, domain.NewID("hash"), time.Hour.Microseconds()*2))(t)
		testkit.OK(t, s.PutMCPTools(bg, v.Tenant, c.server.ID, []store.MCPTool{{Name: "search", Digest: "d"}}))
		must2(s.AddMCPCall(bg, v.Tenant, store.MCPCall{Server: c.server.ID, Run: v.Run.ID, Tool: "search", Outcome: "ok"}))(t)
		c.called = must2(s.BeginAssistantCall(bg, v.Tenant, store.AssistantCall{Token: c.token.ID, Kind: store.AssistantTool, Name: "list_rules"}))(t)
		for range 2 {
			testkit.OK(t, s.InTx(bg, func(ctx context.Context) (err error) {
				if c.provider, _, err = s.RotateProviderSecret(ctx, v.Tenant, c.provider.ID, domain.NewID("whs"), []byte("sealed"), time.Hour); err != nil {
					return err
				}
				c.tracker, _, err = s.RotateTrackerSecret(ctx, v.Tenant, c.tracker.ID, domain.NewID("whs"), []byte("sealed"), time.Hour)
				return err
			}))
		}
		testkit.OK(t, s.RecordHookSignature(bg, v.Tenant, c.provider.ID, "5"))
		testkit.OK(t, s.KeepHostRefusal(bg, v.Tenant, c.provider.Version, store.HostRefusal{Connection: c.provider.ID, Op: "reply", Path: "/repos/acme/api/issues/…/comments"}))
	},
	foreign: func(v victim) map[string][]any {
		c := v.connected
		provider, tracker, server := c.provider, c.tracker, c.server
		provider.Name, tracker.Name, server.Name = "evil", "evil", "evil"
		return map[string][]any{
			"ProviderConnection":         {provider.ID},
			"ProviderConnections":        {store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"UpdateProviderConnection":   {provider},
			"DeleteProviderConnection":   {provider.ID},
			"AccessOfConnection":         {provider.ID},
			"AccessRepositories":         {c.access.ID},
			"AccessRepository":           {c.access.ID, domain.HostID("{8f0c}")},
			"NameDefaultBranch":          {c.repository.ID, "evil"},
			"RefreshAccessRepository":    {c.access.ID, store.Repository{ExternalID: "{8f0c}", Name: "evil"}},
			"SetNewest":                  {c.access.ID, "evil"},
			"SetHookReportsRepositories": {c.access.ID, true},
			"ActiveOfAccess":             {c.access.ID},
			"AccessWithRepository":       {"https://gitlab.example", domain.HostID("{8f0c}")},
			"EndAccesses":                {provider.ID},
			"OpenRunsOfAccess":           {v.Repository.Access},
			"AddHookRemoval":             {store.HookRemoval{ID: domain.NewID("hkr"), Access: c.access.ID, Kind: "gitlab", Token: []byte("evil")}, time.Hour},
			"HookRemoval":                {c.removal.ID},
			"HookRemovalOf":              {c.access.ID},
			"AccessBusy":                 {v.Repository.Access},
			"DropHookRemoval":            {c.removal.ID},
			"SyncAccessRepositories":     {c.access.ID, []store.Repository{{ExternalID: "{8f0c}", Name: "evil"}}},
			"UpsertConnectionAccess":     {store.Access{Kind: "gitlab", Connection: provider.ID, Host: "https://gitlab.example", AccountID: "2", AccountLogin: "evil"}},
			"ReplaceHostMembers":         {c.access.ID, c.repository.ID, []store.HostMember{{HostUser: "666", Permission: "admin"}}},
			"KnownHostUsers":             {c.access.ID, []domain.HostID{c.hostUser}},
			"HostRights":                 {c.repository.ID},
			"HostStandings":              {c.access.ID, []string{v.user}},
			"HasFreshHostMembers":        {c.access.ID, time.Hour},
			"HostUsersOf":                {c.access.ID, c.repository.ID, v.user},
			"HostAccountLinks":           {c.linked},
			"HostAccountLink":            {provider.ID, c.linked},
			"ProposeHostAccount":         {c.access, store.HostAccountLink{User: c.linked, Subject: "10", Login: "evil", ProposedBy: "evil"}},
			"AnswerHostAccount":          {provider.ID, c.linked, domain.HostID("9"), store.LinkConfirmed},
			"UnlinkHostAccount":          {provider.ID, c.linked},
			"ForgetConnectionRoles":      {provider.ID, c.linked},
			"ConnectionMembers":          {c.access.ID},
			"KeepRepositoryRole":         {c.repository.ID, v.user, "manage", time.Now().Add(time.Hour).UnixMicro()},
			"RolesOn":                    {c.repository.ID},
			"ForgetRolesOn":              {c.repository.ID, []string{v.user}},
			"RequestSync":                {c.idle.ID},
			"SetProviderState":           {provider.ID, provider.Version, domain.ConnectionBroken, "evil"},
			"KeepHostRefusal":            {provider.Version, store.HostRefusal{Connection: provider.ID, Op: "reply", Path: "/evil", Words: "evil"}},
			"RecordHookSignature":        {provider.ID, domain.HostID("6")},
			"SignsDeliveries":            {provider.ID, domain.HostID("5")},
			"DropHostRefusal":            {provider.ID, "reply", "/repos/acme/api/issues/…/comments"},
			"HostRefusals":               {[]string{provider.ID}, time.Hour},
			"SetTokenEnd":                {provider.ID, provider.Version, int64(1)},
			"ClaimTokenEndNotice":        {c.ending.ID, c.ending.Version, time.Hour},
			"TrackerConnection":          {tracker.ID},
			"TrackerConnections":         {store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"UpdateTrackerConnection":    {tracker},
			"SetTrackerState":            {tracker.ID, tracker.Version, domain.ConnectionBroken, "evil"},
			"RequestTrackerCheck":        {c.asked.ID},
			"HoldTracker":                {tracker.ID},
			"TrackerSignedIn":            {tracker.ID, tracker.Version},
			"TrackerGrant":               {c.asked.ID},
			"PutTrackerGrant":            {c.asked.ID, store.TrackerGrant{Generation: 2, Access: []byte("evil"), Endless: true}},
			"HoldTrackerGrant":           {c.asked.ID, int64(1), "evil", time.Hour},
			"RenewTrackerGrant":          {c.held.ID, "holder", store.TrackerGrant{Generation: 2, Access: []byte("evil"), Endless: true}},
			"FreeTrackerGrant":           {c.held.ID, int64(1), "holder", store.GrantLost},
			"LoseTrackerGrant":           {c.lapsed.ID, int64(1)},
			"DropTrackerGrant":           {c.asked.ID},
			"BeginBackfill":              {c.asked.ID, "job_2"},
			"SaveBackfill":               {c.asked.ID, store.TrackerBackfill{Job: "job_1", After: "evil", Looked: 9}},
			"OpenPulls":                  {"", 10},
			"CountOpenPulls":             {""},
			"KnownPulls":                 {v.Repository.ID, []int{v.Pull.Number}},
			"DeleteTrackerConnection":    {tracker.ID},
			"RotateProviderSecret":       {provider.ID, domain.NewID("whs"), []byte("evil"), time.Hour},
			"RotateTrackerSecret":        {tracker.ID, domain.NewID("whs"), []byte("evil"), time.Hour},
			"WebhookSecrets":             {provider.ID},
			"DropWebhookSecrets":         {tracker.ID},
			"MCPServer":                  {server.ID},
			"MCPServers":                 {store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"UpdateMCPServer":            {server},
			"SetMCPDiscovery":            {server.ID, server.Version, domain.ConnectionBroken, "evil"},
			"RecordUnchangedListing":     {server.ID, server.Version},
			"MCPUseOf":                   {v.Run.ID},
			"DeleteMCPServer":            {server.ID},
			"MCPTools":                   {server.ID},
			"PutMCPTools":                {server.ID, []store.MCPTool{{Name: "evil"}}},
			"AddMCPCall":                 {store.MCPCall{Server: server.ID, Run: v.Run.ID, Tool: "evil"}},
			"MCPCalls":                   {server.ID, store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"MCPTokens":                  {v.user, store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"DeleteMCPToken":             {"", c.token.ID},
			"BeginAssistantCall":         {store.AssistantCall{Token: c.token.ID, Kind: store.AssistantTool, Name: "evil"}},
			"EndAssistantCall":           {c.called.ID, v.Repository.ID, "evil", int64(1)},
			"AssistantCalls":             {store.Cursor{US: 1 << 60, ID: "z"}, 10},
		}
	},
	instance: map[string]string{
		"DropHookRemovals": "housekeeping of what may be kept for an hour, of every tenant",
		"Access":           "for work on a repository that was read with its tenant",
		"HostRightsOf":     "one person's own; each row carries its tenant", "StaleAccesses": "one person's own; each row carries its tenant",
		"DropEndedHostMemberships": "housekeeping; each row carries its tenant", "DropHostMembers": "housekeeping, for every tenant, of rows that no reader reaches",
		"UseMCPToken":        "the token's hash says whose it is; the answer carries the tenant",
		"DropMCPTokens":      "housekeeping of expired tokens, of every tenant",
		"DropAssistantCalls": "housekeeping of what is kept for a time, of every tenant",
	},
	ownRows: map[string]string{
		"CreateProviderConnection": "the connection is the caller's own",
		"CreateTrackerConnection":  "the connection is the caller's own",
		"HostIsLinked":             "identity providers are the instance's; asked is what the caller may use",
		"CreateMCPServer":          "the server is the caller's own",
		"EndMCPTokens":             "ends tokens without a user; TestMCPTokensEndWithTheMembership",
		"CreateMCPToken":           "the token is the caller's own; its owner must be a member there",
	},
}
