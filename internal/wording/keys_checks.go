package wording

// Results of deterministic checks: [Titles] and [Explanations]. They follow the keys of keys.go.
const (
	TitleSecret      Key = iota + AsideIntended + 1 // 0 kind
	TitleMaybeSecret                                // 0 kind
	TitleBidi
	TitleTag
	TitleZeroWidth
	TitlePermissions
	TitleCheckout
	TitleGo
	TitleLockHost // 0 host
	TitleLockPlain
	TitleLockGit
	TitleLockDigest
	TitleLockOther
	TitleLockChanged
	TitleDockerAdd
	TitleDockerPipe
	TitleDockerArg // 0 name
	TitleDockerEnv // 0 name
	TitleDockerTag // 0 image
	TitleDockerRoot
	TitleInjection
	TitleMovingAction // 0 action
	TitleLint         // 0 kind of fault
	TitleConflict
	TitleGoPattern        // 0 code
	TitleMigrationDrop    // 0 table or column
	TitleMigrationNull    // 0 column
	TitleMigrationIndex   // 0 table
	TitleManifestLock     // 0 dependency
	TitleInstallScript    // 0 package
	TitleManifestSource   // 0 dependency
	TitleManifestRegistry // 0 host
	SaySecret             // 0 kind
	SayMaybeSecret        // 0 kind
	SayBidi               // 0 characters
	SayBidiMore           // the same, 1 further lines
	SayTag                // 0 characters
	SayTagMore            // the same, 1 further lines
	SayZeroWidth          // 0 characters
	SayZeroWidthMore      // the same, 1 further lines
	SayPermission         // 0 permission
	SayPermissions
	SayUnrestricted
	SayCheckout
	SayGo        // 0 line, 1 message
	SayLockHost  // 0 host
	SayLockPlain // 0 host
	SayLockGit   // 0 repository
	SayLockDigest
	SayLockOther   // 0 package, 1 other package
	SayLockChanged // 0 package
	SayDockerAdd
	SayDockerPipe
	SayDockerArg // 0 name
	SayDockerEnv // 0 name
	SayDockerTag // 0 image
	SayDockerRoot
	SayInjection    // 0 expression
	SayMovingAction // 0 action, 1 tag or branch
	SayLint         // 0 message
	SayAnalyser     // 0 analyser, 1 rule, 2 message
	SayRulePlaces   // 0 further places, 1 instruction of the rule
	SayConflict
	SayGoFormat   // 0 function, 1 arguments, 2 verbs
	SayGoUnused   // 0 function
	SayGoSame     // 0 expression
	SayGoConstant // 0 condition
	SayGoRepeated // 0 condition
	SayGoLock     // 0 call
	SayGoRecover
	SayGoLateAdd        // 0 wait group
	SayGoTag            // 0 key
	SayGoName           // 0 name
	SayGoBody           // 0 response
	SayMigrationDrop    // 0 table or column
	SayMigrationNull    // 0 column, 1 table
	SayMigrationIndex   // 0 table
	SayManifestMissing  // 0 dependency, 1 lock file
	SayManifestVersion  // 0 dependency, 1 range, 2 range of the lock file
	SayInstallScript    // 0 package
	SayManifestSource   // 0 dependency, 1 address
	SayManifestRegistry // 0 host
	SaySecretOld        // 0 kind
	SayMaybeSecretOld   // 0 kind

	// Why a review has neither the model's part nor checks, in sentences. They follow the order of [OnlyChecks].
	NothingRan // 0 why
	NothingRanUnavailable
	NothingRanNotConfigured
	NothingRanBudget
	NothingRanAuthor  // 0 reviews of an hour
	NothingRanOutside // 0 reviews of an hour
)
