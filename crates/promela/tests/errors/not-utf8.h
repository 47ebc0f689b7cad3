/* café */ byte café;
