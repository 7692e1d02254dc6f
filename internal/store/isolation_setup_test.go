package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/store"
)

var setupIsolation = nounTest{
	seed:    func(testing.TB, *store.Store, *victim) {},
	foreign: func(victim) map[string][]any { return nil },
	instance: map[string]string{
		"Setup": "the first run is the instance's", "PutSetupToken": "as Setup", "OfferSetupToken": "as Setup", "SetupToken": "as Setup", "RedeemSetupToken": "as Setup", "SetupSession": "as Setup",
		"HoldSetup": "as Setup", "ClaimSetupApp": "as Setup", "CompleteSetup": "as Setup", "PutState": "bound to a browser", "TakeState": "bound to a browser",
		"InstanceDocument": "of the instance", "PutInstanceDocument": "of the instance", "SetupFacts": "counts over all tenants, for the instance admin's checklist",
		"DropRuns": "retention, by the service", "InstanceAdmins": "people belong to the instance", "SetInstanceAdmin": "people belong to the instance",
		"CreateApp": "apps are the instance's", "UpdateApp": "apps are the instance's", "DeleteApp": "apps are the instance's",
		"TenantOfAccount": "places installations; no reader sees it",
	},
	ownRows: map[string]string{"MakeTenantOfAccount": "the row is the caller's, and one that is there stays"},
}
