ARRAY(SELECT column_name FROM (DESCRIBE FROM {new}) WHERE system.main.lower(column_name) NOT IN (SELECT system.main.lower(name) FROM "redline types")) AS columns_added,
    ARRAY(SELECT column_name FROM (DESCRIBE FROM {old}) WHERE system.main.lower(column_name) NOT IN (SELECT system.main.lower(name) FROM "redline types")) AS columns_removed
