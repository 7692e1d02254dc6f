package app

import (
	"context"

	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/instance"
)

// signOff hands the instance's legal sign-off to the assignment of reviewers.
func signOff(s *instance.Service) func(context.Context) (assign.SignOff, error) {
	return func(ctx context.Context) (assign.SignOff, error) {
		v, err := s.LegalSignOff(ctx)
		return assign.SignOff{SignedOff: v.SignedOff, DataUses: v.DataUses}, err
	}
}

// pushHosts hands the push services that the instance names to notifications.
func pushHosts(s *instance.Service) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		v, err := s.Settings(ctx)
		return v.PushServiceHosts, err
	}
}
