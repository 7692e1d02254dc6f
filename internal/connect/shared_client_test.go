package connect

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// busy is a provider that answers every call with an error.
type busy struct {
	llm.Client
	err   error
	calls int
}

func (b *busy) Complete(context.Context, llm.Request) (llm.Response, error) {
	b.calls++
	return llm.Response{}, b.err
}

func TestAProvidersPauseHoldsForEveryProcess(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		tenant := storetest.Tenant(t, s)
		row, err := s.CreateCredential(ctx, tenant, store.Credential{ID: domain.NewID("crd"), Name: "main", Kind: "openai"})
		testkit.OK(t, err)
		process := func(err error) (*sharedClient, *busy) {
			b := &busy{err: err}
			return &sharedClient{b, s, tenant, row, telemetry.Discard()}, b
		}
		one, _ := process(&llm.Error{Class: llm.ClassRetryable, RetryAfter: time.Minute})
		other, asked := process(nil)
		if _, err := other.Complete(ctx, llm.Request{}); err != nil {
			t.Fatalf("before: %v", err)
		}
		_, _ = one.Complete(ctx, llm.Request{})
		_, err = other.Complete(ctx, llm.Request{})
		e, ok := err.(*llm.Error)
		if !ok || !e.Retryable() || e.RetryAfter <= 50*time.Second || e.RetryAfter > time.Minute || asked.calls != 1 {
			t.Errorf("the other process got %v after %d calls", err, asked.calls)
		}
		after, err := s.Credential(ctx, tenant, row.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "version", after.Version, row.Version)

		long, _ := process(&llm.Error{Class: llm.ClassRetryable, RetryAfter: 24 * time.Hour})
		testkit.OK(t, s.BlockCredential(ctx, tenant, row.ID, 0)) // a shorter one changes nothing
		if wait, err := s.CredentialBlock(ctx, tenant, row.ID); err != nil || wait < 50*time.Second {
			t.Errorf("the block is %v, %v", wait, err)
		}
		fresh, err := s.CreateCredential(ctx, tenant, store.Credential{ID: domain.NewID("crd"), Name: "second", Kind: "openai"})
		testkit.OK(t, err)
		long.key = fresh
		_, _ = long.Complete(ctx, llm.Request{})
		if wait, err := s.CredentialBlock(ctx, tenant, fresh.ID); err != nil || wait > time.Hour {
			t.Errorf("the block is %v, %v: a block must be shorter than a day", wait, err)
		}
		if _, err := s.CredentialBlock(ctx, storetest.Tenant(t, s), row.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("another tenant: %v", err)
		}
	})
}

// picky refuses a format with a schema, and records which formats each request leaves out.
type picky struct {
	llm.Client
	got [][]string
}

func (p *picky) Complete(_ context.Context, in llm.Request) (llm.Response, error) {
	p.got = append(p.got, in.Without)
	return llm.Response{Text: "{}", Unsupported: []string{"json_schema"}}, nil
}

// A model's refusal of a format is remembered for every process until its key is changed or tested. It does
// not affect other models.
func TestWhatAModelRefusesIsRemembered(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		tenant := storetest.Tenant(t, s)
		row, err := s.CreateCredential(ctx, tenant, store.Credential{ID: domain.NewID("crd"), Name: "main", Kind: "openai"})
		testkit.OK(t, err)
		last := func(model string) []string {
			t.Helper()
			p := &picky{}
			_, err := (&sharedClient{p, s, tenant, row, telemetry.Discard()}).Complete(ctx, llm.Request{Model: model})
			testkit.OK(t, err)
			if p.got[0] == nil {
				t.Error("the codec does not remember refused formats")
			}
			return p.got[0]
		}
		testkit.Equal(t, "at first", len(last("a")), 0)
		testkit.Equal(t, "in another process", fmt.Sprint(last("a")), "[json_schema]")
		testkit.Equal(t, "another model", len(last("b")), 0)
		testkit.OK(t, s.ForgetRefusals(ctx, tenant, row.ID))
		testkit.Equal(t, "after a test", len(last("a")), 0)
		testkit.Equal(t, "again", len(last("a")), 1)
		old := row
		row, err = s.UpdateCredential(ctx, tenant, row, false)
		testkit.OK(t, err)
		testkit.Equal(t, "after a change", len(last("a")), 0)
		testkit.OK(t, s.KeepRefusals(ctx, tenant, old.ID, old.Version, "a", []string{"old"}, time.Hour))
		testkit.Equal(t, "after a refusal for an older version of the key", fmt.Sprint(last("a")), "[json_schema]")
		testkit.OK(t, s.KeepRefusals(ctx, tenant, row.ID, row.Version, "a", []string{"json_schema"}, -time.Second))
		testkit.Equal(t, "after its time", len(last("a")), 0)
	})
}
