/** The name of a check of the installation, and its subject. */
interface Known {
  name: string;
  looks: string;
}

/** The checks of the installation by their codes, which never change their meaning. */
export const healthChecks: Readonly<Record<string, Known>> = {
  D001: { name: "Configuration", looks: "The settings of the process are valid, and none is misspelt." },
  D002: { name: "Data folder", looks: "The folder of the service's data can be read and written." },
  D003: { name: "Instance key", looks: "The key that decrypts stored secrets exists." },
  D004: { name: "Database", looks: "The database answers and is new enough." },
  D005: { name: "Schema", looks: "The tables match this version." },
  D006: { name: "Durability", looks: "Confirmed writes of the database survive a crash." },
  D007: { name: "Stored secrets", looks: "Stored secrets can be decrypted." },
  D008: { name: "Clock", looks: "The clocks of the service and of the database agree." },
  D009: { name: "Key-value store", looks: "The key-value store answers, if there is one." },
  D010: { name: "Settings of the key-value store", looks: "Its version is new enough, and it keeps the data of the queue." },
  D011: { name: "Git", looks: "Git is installed and new enough." },
  D012: { name: "Public address", looks: "The service answers at its public address, which code hosts and people use." },
  D013: { name: "GitHub App", looks: "The code host accepts the key of each app, and the app's permissions and events are right." },
  D014: { name: "Installations", looks: "The app is installed, and every installation belongs to a tenant." },
  D015: { name: "Models", looks: "Tenants have models, and their providers answer." },
  D016: { name: "Failed jobs", looks: "No failed job waits for a decision." },
  D017: { name: "Workers", looks: "Workers take jobs." },
  D018: { name: "Sizing", looks: "The check estimates how many reviews the workers can make in a minute." },
  D019: { name: "Addresses of clients", looks: "Clients are distinguished behind a reverse proxy." },
  D020: { name: "No lost events", looks: "Every delivery has its effect, and every run ends." },
  D021: { name: "Nothing twice", looks: "No head has a second review, and ends agree with the published reviews." },
  D022: { name: "Publications settled", looks: "The code host has settled the state of each publication." },
  D023: { name: "Child processes", looks: "Files from outside are read in processes without access to anything else." },
  D024: { name: "Connections to code hosts", looks: "Connected code hosts answer." },
  D025: { name: "Connections to issue trackers", looks: "Connected issue trackers answer." },
  D026: { name: "Heads without a check", looks: "Open pull requests have a check on their head." },
  D027: { name: "Analysers", looks: "Configured analysers start in their sandbox, with the expected version." },
};

/** Where the documentation of a check stands. */
export const healthDocs = (code: string): string => `https://github.com/assay-dev/assay/blob/main/docs/doctor.md#${code.toLowerCase()}`;
